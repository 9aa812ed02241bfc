import type { ModelAnswer } from '../../domain/enrichment/inference.js'
import { CALLER_MEMORY_TYPES } from '../../domain/memory.js'
import { answerSchema } from '../../models/answer-schema.js'
import type { CompletionBudget, LanguageModel } from '../../models/language-model.js'
import { DATA_RULE, quoteAsData } from '../../models/quoted-data.js'
import type { EnrichedMemory } from '../../store/enrichment/enrichment-rows.js'

const OFFERED_TYPES = CALLER_MEMORY_TYPES.filter((type) => type !== 'semantic')
const text = (maxLength: number) => ({ type: 'string', maxLength })
const textOrNull = (maxLength: number) => ({ type: ['string', 'null'], maxLength })
const object = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
})
const list = (maxItems: number, items: object) => ({ type: 'array', maxItems, items })

/**
 * Wider than the limits of stored values: the checks drop excess values one by one, so that they do not fail the
 * answer.
 */
const READING_SCHEMA = answerSchema<ModelAnswer>('memory_reading', {
  ...object({
    type: { type: ['string', 'null'], enum: [...OFFERED_TYPES, null] },
    title: textOrNull(1_000),
    tags: list(50, text(500)),
    entities: list(100, object({ name: text(1_000), type: textOrNull(500), role: textOrNull(500) })),
    triple: {
      ...object({ subject: text(1_000), predicate: text(500), object: text(4_000) }),
      type: ['object', 'null'],
    },
    times: list(20, object({ phrase: text(1_000), relation: { type: 'string', enum: ['on', 'from', 'until'] } })),
  }),
})

/** Raise ENRICHMENT_PROMPT with every change of this text. */
const INSTRUCTIONS = [
  'You file one memory of a software agent. Say only what its text says; where it says nothing, give null or an empty list.',
  '`type`: fact, episode (what happened), decision, preference, task, intention, plan, commitment, action (what was done) or',
  'cancellation; null when unsure.',
  '`title`: at most 10 words, from the words of the text, in its language.',
  '`tags`: up to 6 topics, lower case, one or two words each.',
  '`entities`: up to 10 people, organisations, places, systems, projects and things that it is about, each `name` exactly as the text has',
  'it, with its `type` (person, organisation, place, system, project, product, document or another word) and its `role` here (such as',
  'owner or cause), else null.',
  '`triple`: the one statement that it makes, when it makes one plainly and does not deny it: `subject` and `object` exactly as the text has',
  'them, `predicate` in snake_case. Where one of these fits, take it: lives_in, located_in, address, works_at, works_for, employer, role,',
  'title, manager, reports_to, spouse, status, state, owner, version, port, url, email, phone, birthday, age, timezone, language, price,',
  'deadline, due_date.',
  '`times`: words of the text that say when it happened (`on`), since when it holds (`from`) or until when (`until`), each `phrase` exactly',
  'as the text has it, such as "last Friday".',
  DATA_RULE,
].join('\n')

const MAX_OUTPUT_TOKENS = 700

/** Asks the model to read a memory. Throws as `LanguageModel.complete` does. */
export function readMemory(
  languageModel: LanguageModel,
  memory: EnrichedMemory,
  budget: Pick<CompletionBudget, 'withinMs' | 'spend'>,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { title, content, seenFrom } = memory
  const at = seenFrom.toISOString().slice(0, 10)
  return languageModel.complete(
    { instructions: INSTRUCTIONS, input: quoteAsData([{ at, title, text: content }]) },
    READING_SCHEMA,
    { maxOutputTokens: MAX_OUTPUT_TOKENS, lane: 'background', ...budget },
    signal,
  )
}
