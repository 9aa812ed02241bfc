import { textForModel } from '../../../domain/personal-data/text-for-model.js'
import type { PiiPolicy } from '../../../domain/personal-data/screen.js'
import type { Settings } from '../../../domain/settings/settings.gen.js'
import { withoutHalfCharacter } from '../../../domain/text/characters.js'
import { answerSchema } from '../../../models/answer-schema.js'
import { ModelCallError } from '../../../models/model-call.js'
import { DATA_RULE, quoteAsData } from '../../../models/quoted-data.js'
import { UnavailableError } from '../../../runtime/errors.js'
import type { Yielding } from '../../../domain/yielding.js'
import { Slices } from '../../../runtime/slices.js'
import type { RecallContext } from './context.js'
import type { ExternalCallContext } from '../../../runtime/external-calls.js'
import type { components } from '../../../contract/types.js'

type Summary = components['schemas']['RecallSummary']
type RecalledMemory = components['schemas']['RecalledMemory']

interface Statement {
  readonly text: string
  /** Refs of memories; any other text is dropped. */
  readonly sources: readonly string[]
}

const STATEMENTS_SCHEMA = answerSchema<{ statements: Statement[] }>('recall_summary', {
  type: 'object',
  required: ['statements'],
  additionalProperties: false,
  properties: {
    statements: {
      type: 'array',
      maxItems: 12,
      items: {
        type: 'object',
        required: ['text', 'sources'],
        additionalProperties: false,
        properties: {
          text: { type: 'string', maxLength: 1_000, description: 'One or two sentences.' },
          sources: { type: 'array', maxItems: 100, items: { type: 'string' }, description: 'Refs such as m1.' },
        },
      },
    },
  },
})

const INSTRUCTIONS = [
  'You sum up what the memories of software agents say to a question.',
  'Write at most 6 short statements that answer it, the most important first, in the language of the question.',
  'Say only what memories say, and name in `sources` the `ref` of each memory that a statement is taken from.',
  'Where memories contradict each other, say so; the later `at` usually holds. One whose `status` is outdated or conflicted may hold no longer.',
  'When no memory answers the question, give no statements.',
  DATA_RULE,
].join('\n')

const MAX_OUTPUT_TOKENS = 800
/** Characters that the model reads of one memory, and of all of them: some 8,000 tokens at most. */
const MAX_MEMORY_LENGTH = 2_000
const MAX_INPUT_LENGTH = 24_000
/** Milliseconds of a request's 30 s after which the summary is given up; the rest is for sending the answer. */
const SUMMARY_CUTOFF_MS = 27_000

/**
 * Lets the language model summarise what the memories say about the query. Returns the summary with the ids of the memories that it
 * cites; null without a model, when the tenant has switched summaries off, when the model fails or is late, and when no statement
 * cites a memory. The model is given these memories alone, as data. `elapsedMs` is the time that the request has taken so far.
 */
export async function summarise(
  { languageModel, summaryDeadlineMs, logger }: RecallContext,
  settings: Settings,
  query: string,
  memories: readonly RecalledMemory[],
  { elapsedMs, signal, externalCalls }: ExternalCallContext & { readonly elapsedMs: number },
): Promise<Summary | null> {
  if (languageModel === null || memories.length === 0 || !settings.summary.enabled) return null
  const { input, ids } = await new Slices().run(inputOf(query, memories, settings.memory.pii_policy))
  const withinMs = Math.min(summaryDeadlineMs, SUMMARY_CUTOFF_MS - elapsedMs)
  try {
    const budget = { maxOutputTokens: MAX_OUTPUT_TOKENS, lane: 'interactive', withinMs } as const
    const { statements } = await externalCalls.waitFor(
      languageModel.complete({ instructions: INSTRUCTIONS, input }, STATEMENTS_SCHEMA, budget, signal),
    )
    return summaryOf(statements, ids)
  } catch (error) {
    const failure = error instanceof UnavailableError ? error.cause : error
    if (!(failure instanceof ModelCallError)) throw error
    logger.debug({ failure: failure.failure }, 'recall answered without summary')
    return null
  }
}

/**
 * Returns the model's input, with as many of the memories as fit, best first, and the id of each ref. Question and texts are masked as
 * the tenant's current policy demands.
 */
function* inputOf(
  query: string,
  memories: readonly RecalledMemory[],
  policy: PiiPolicy,
): Yielding<{ input: string; ids: ReadonlyMap<string, string> }> {
  const ids = new Map<string, string>()
  const entries: object[] = []
  let length = 0
  for (const memory of memories) {
    const whole = yield* textForModel(memory.content, policy)
    const text = withoutHalfCharacter(whole.slice(0, MAX_MEMORY_LENGTH))
    length += text.length
    if (length > MAX_INPUT_LENGTH) break
    const ref = `m${ids.size + 1}`
    ids.set(ref, memory.id)
    entries.push({
      ref,
      at: (memory.ts_valid_start ?? memory.created_at).slice(0, 10),
      by: memory.agent_display_name ?? memory.agent_id,
      status: memory.status,
      title: memory.title === null ? null : yield* textForModel(memory.title, policy),
      text,
    })
  }
  return { input: quoteAsData([{ question: yield* textForModel(query, policy) }, ...entries]), ids }
}

/** Joins the statements into a summary. Leaves out those that cite no memory. */
function summaryOf(statements: readonly Statement[], ids: ReadonlyMap<string, string>): Summary | null {
  const citations = new Set<string>()
  const texts: string[] = []
  for (const { text, sources } of statements) {
    const cited = sources.flatMap((ref) => ids.get(ref) ?? [])
    if (cited.length === 0 || text.trim() === '') continue
    texts.push(text.trim())
    cited.forEach((id) => citations.add(id))
  }
  return texts.length === 0 ? null : { text: texts.join(' '), citations: [...citations] }
}
