import { type Distilled, type TextLimits, withWording } from '../../domain/forge/distil.js'
import { type CheckedWording, checkWording } from '../../domain/forge/model-answer.js'
import { WORDING_SCHEMA, type WordingRequest, wordingRequest } from '../../domain/forge/prompt.js'
import type { ModelRecord } from '../../domain/forge/run-record.js'
import type { PiiPolicy } from '../../domain/personal-data/screen.js'
import { textForModel } from '../../domain/personal-data/text-for-model.js'
import { answerSchema } from '../../models/answer-schema.js'
import type { LanguageModel, TokenUse } from '../../models/language-model.js'
import { ModelCallError } from '../../models/model-call.js'
import { DATA_RULE, quoteAsData } from '../../models/quoted-data.js'
import { createYielder } from '../../runtime/yielder.js'
import { describeFailure, isOutage } from '../failures.js'

/** Bounds what one run may ask of the language model. */
export interface ModelBudget {
  readonly calls: number
  /** Input and output together; the call that goes beyond it is the last. */
  readonly tokens: number
  /** Milliseconds for one completion, its retries and its repair included. */
  readonly withinMs: number
}

/** The language model of one run, with what it has used. */
export interface RunModel {
  /** Returns false when it will not be asked any more. */
  isAvailable(): boolean
  word(skill: Distilled, options: WordingOptions): Promise<Wording>
  record(): ModelRecord
}

interface WordingOptions {
  readonly policy: PiiPolicy
  readonly limits: TextLimits
  readonly signal: AbortSignal
}

/** A skill in a model's words; null where its own words stay, and then why. */
export interface Wording {
  readonly skill: Distilled | null
  readonly note: string | null
}

const SCHEMA = answerSchema<object>('skill_wording', WORDING_SCHEMA)
const MAX_OUTPUT_TOKENS = 2_000
/** Outages one after another after which a run does without the model. */
const MOST_OUTAGES = 2
/** Matches placeholders of masked personal data, which belong to no procedure. */
const PLACEHOLDER = /\[[a-z_]+\]/

/** Creates the model of a run; `used` is what an earlier worker of the same run has used. */
export function createRunModel(model: LanguageModel, budget: ModelBudget, used?: ModelRecord | null): RunModel {
  const spent = { calls: 0, failed: 0, input_tokens: 0, output_tokens: 0, ...used }
  let outages = 0

  function stopped(): string | null {
    if (spent.calls >= budget.calls) return `the run's ${budget.calls} calls are used up`
    if (spent.input_tokens + spent.output_tokens >= budget.tokens)
      return `the run's ${budget.tokens} tokens are used up`
    return outages >= MOST_OUTAGES ? 'the model is unavailable' : null
  }

  async function ask(request: WordingRequest, { policy, signal }: WordingOptions): Promise<object> {
    const input = await quoted(request, policy)
    const instructions = `${request.instructions}\n${DATA_RULE}`
    spent.calls++
    const spend = ({ input, output }: TokenUse) => {
      spent.input_tokens += input
      spent.output_tokens += output
    }
    const { withinMs } = budget
    const limits = { maxOutputTokens: MAX_OUTPUT_TOKENS, lane: 'background', withinMs, spend } as const
    return model.complete({ instructions, input }, SCHEMA, limits, signal)
  }

  return {
    isAvailable: () => stopped() === null,
    record: () => ({ ...spent, model: model.id, stopped: stopped() }),
    async word(skill, options) {
      const reason = stopped()
      if (reason !== null) return { skill: null, note: reason }
      const request = wordingRequest(skill)
      try {
        const answer = await ask(request, options)
        outages = 0
        const checked = checkWording(answer, request.refs, options.limits.descriptionMaxBytes)
        if ('reason' in checked) return { skill: null, note: checked.reason }
        const wording = withoutPlaceholders(checked, options.policy)
        if (wording === null) return { skill: null, note: 'its steps hold masked personal data' }
        return { skill: withWording(skill, wording, options.limits), note: droppedNote(checked) }
      } catch (error) {
        options.signal.throwIfAborted()
        if (!isOutage(error) && !(error instanceof ModelCallError)) throw error
        spent.failed++
        outages = isOutage(error) ? outages + 1 : 0
        return { skill: null, note: `the model failed: ${failureOf(error)}` }
      }
    },
  }
}

/** Quotes the notes as the policy that is in force lets a model read them. */
async function quoted({ entries }: WordingRequest, policy: PiiPolicy): Promise<string> {
  const yieldIfDue = createYielder()
  const shown: object[] = []
  for (const entry of entries) shown.push({ ...entry, text: await textForModel(entry.text, policy, yieldIfDue) })
  return quoteAsData(shown)
}

/** Drops what names masked values; null when no step is left. */
function withoutPlaceholders(wording: CheckedWording, policy: PiiPolicy): CheckedWording | null {
  if (policy === 'flag') return wording
  const isClean = ({ text }: { readonly text: string }) => !PLACEHOLDER.test(text)
  const clean = (text: string | null) => (text !== null && PLACEHOLDER.test(text) ? null : text)
  const { name, description, goal } = wording
  const steps = wording.steps.filter(isClean)
  if (steps.length === 0) return null
  const lessons = wording.lessons.filter(isClean)
  return { ...wording, steps, lessons, name: clean(name), description: clean(description), goal: clean(goal) }
}

function droppedNote({ dropped }: CheckedWording): string | null {
  const parts = Object.entries(dropped).filter(([, count]) => count > 0)
  return parts.length === 0 ? null : `lines dropped: ${parts.map(([why, count]) => `${count} ${why}`).join(', ')}`
}

function failureOf(error: unknown): string {
  const cause = isOutage(error) ? ((error as Error).cause ?? error) : error
  return cause instanceof ModelCallError ? cause.failure : describeFailure(cause)
}
