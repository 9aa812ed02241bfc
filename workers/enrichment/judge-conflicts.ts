import { conflictsFrom, type Verdict } from '../../domain/enrichment/conflicts.js'
import type { Inference } from '../../domain/enrichment/inference.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { textHash } from '../../domain/memory-draft.js'
import { textForModel } from '../../domain/personal-data/text-for-model.js'
import type { PiiPolicy } from '../../domain/personal-data/screen.js'
import { withoutHalfCharacter } from '../../domain/text/characters.js'
import { nameKey } from '../../domain/text/memory-text.js'
import { answerSchema } from '../../models/answer-schema.js'
import type { CompletionBudget, LanguageModel } from '../../models/language-model.js'
import { DATA_RULE, quoteAsData } from '../../models/quoted-data.js'
import { searchWholeIndex } from '../../services/retrieval/whole-index.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import type { SearchRequest } from '../../search/search-index.js'
import {
  type ConflictCandidate,
  type EnrichedMemory,
  readConflictCandidates,
  readEntitiesOf,
} from '../../store/enrichment/enrichment-rows.js'
import type { JobContext } from '../context.js'
import { memoryText } from '../../services/indexing/index-entries.js'
import { embedTexts } from '../indexing/embed-texts.js'

/** Maximum number of memories in one judgement. */
const MAX_CANDIDATES = 6
/** Number of hits per candidate source: some have other audiences. */
const HITS_PER_SOURCE = 20
/**
 * Fraction of the cosine from which two texts of this embedder are near duplicates: below this they are about different
 * things.
 */
const SIMILAR_FRACTION = 0.6

/**
 * Returns live memories of the same audience that may be in conflict: those that the index ranks as most similar, or
 * with the most entities in common, each leg in turn. Throws as `searchWholeIndex` does.
 */
export async function findCandidates(
  context: JobContext,
  tenantId: string,
  memory: EnrichedMemory,
  { entities }: Inference,
): Promise<ConflictCandidate[]> {
  const { store, clock, indexes } = context
  const { buildId, index, embedder } = indexes.serving()
  const embedded = memoryText({ ...memory, textHash: textHash(memory) })
  const vector = (await embedTexts(context, embedder, tenantId, [embedded])).vectorOf(embedded)
  const keys = entities.map(({ name }) => nameKey(name))
  const entityIds = await store.read({ tenantId }, (reader) => readEntitiesOf(reader, memory.id, keys))
  const request: SearchRequest = {
    filter: {
      audience: { kind: 'shared', agentId: memory.agentId, fleets: memory.fleetId === null ? [] : [memory.fleetId] },
      now: clock.now(),
      statuses: LIVE_STATUSES,
    },
    size: HITS_PER_SOURCE,
    ...(vector?.some((value) => value !== 0) && { vector: { vector } }),
    ...(entityIds.length > 0 && { entity: { entityIds } }),
  }
  if (!request.vector && !request.entity) return []
  const { legs } = await searchWholeIndex({ store, indexBuildId: buildId, index }, { tenantId }, request)
  const similar = (legs.vector ?? []).filter(({ score }) => score >= SIMILAR_FRACTION * embedder.nearDuplicateCosine)
  const ids = interleave(similar, legs.entity ?? []).map(({ id }) => id)
  const found = await store.read({ tenantId }, (reader) => readConflictCandidates(reader, memory, ids))
  return found.slice(0, MAX_CANDIDATES)
}

/** Interleaves two lists, each id once. */
function interleave<T extends { readonly id: string }>(one: readonly T[], other: readonly T[]): T[] {
  const places = Array.from({ length: Math.max(one.length, other.length) }, (_, i) => i)
  const taken = places.flatMap((i) => [one[i], other[i]]).filter((hit) => hit !== undefined)
  return [...new Map(taken.map((hit) => [hit.id, hit])).values()]
}

const text = (maxLength: number) => ({ type: 'string', maxLength })
const JUDGEMENT_SCHEMA = answerSchema<{ verdicts: Verdict[] }>('memory_conflicts', {
  type: 'object',
  required: ['verdicts'],
  additionalProperties: false,
  properties: {
    verdicts: {
      type: 'array',
      maxItems: 2 * MAX_CANDIDATES,
      items: {
        type: 'object',
        required: ['ref', 'verdict', 'here', 'there'],
        additionalProperties: false,
        properties: {
          ref: text(20),
          verdict: { type: 'string', enum: ['contradicts', 'supersedes', 'unrelated'] },
          here: text(1_000),
          there: text(1_000),
        },
      },
    },
  },
})

const INSTRUCTIONS = [
  'You compare one memory of a software agent, whose ref is `this`, with others.',
  'Of each other one say: `supersedes` when `this` and it state different values of the same thing, of which there is one at a time, and the',
  'later one takes the place of the earlier; `contradicts` when both cannot be true; else `unrelated`. Statements that may hold together,',
  'about different things, or about different times are unrelated. When in doubt, unrelated.',
  'In `here` quote the words of `this`, and in `there` those of the other, that cannot both hold: exactly as they stand, as few as will do;',
  'both empty for unrelated.',
  DATA_RULE,
].join('\n')

const MAX_OUTPUT_TOKENS = 600
/** Number of characters of each memory that the judge reads. */
const JUDGED_CHARACTERS = 2_000

type JudgeBudget = Pick<CompletionBudget, 'withinMs' | 'spend'>

/** A memory, and the beginning of its text as the judge reads it. */
interface JudgeInput<T> {
  readonly memory: T
  readonly text: string
}

/**
 * Returns those candidates that the model finds in conflict and can quote evidence for. A text may contain instructions
 * to the judge, so no author's text may influence the verdict on another author's memory: a memory that was judged
 * beside a third author's is judged again without it, and counts only when it is found in conflict both times.
 * `withinMs` is the limit for all calls together. Throws as `LanguageModel.complete` does.
 */
export async function judgeConflicts(
  languageModel: LanguageModel,
  memory: EnrichedMemory,
  candidates: readonly ConflictCandidate[],
  { withinMs, policy, ...budget }: JudgeBudget & { readonly policy: PiiPolicy },
  signal: AbortSignal,
): Promise<ConflictCandidate[]> {
  const endsAt = performance.now() + (withinMs ?? Infinity)
  const [own, ...others] = await new Slices().run(judgeInputs(policy, memory, candidates))
  const judge = async (some: readonly ConflictCandidate[]) => {
    const left = withinMs === undefined ? {} : { withinMs: endsAt - performance.now() }
    const shown = others.filter(({ memory }) => some.includes(memory))
    const found = await judgeTogether(languageModel, own, shown, { ...budget, ...left }, signal)
    return found.map(({ memory }) => memory)
  }
  const found = await judge(candidates)
  const conflicts: ConflictCandidate[] = []
  for (const author of new Set(found.map(({ agentId }) => agentId))) {
    const theirs = found.filter(({ agentId }) => agentId === author)
    const isAlone = candidates.every(({ agentId }) => agentId === author || agentId === memory.agentId)
    conflicts.push(...(isAlone ? theirs : await judge(theirs)))
  }
  return conflicts
}

function* judgeInputs(
  policy: PiiPolicy,
  memory: EnrichedMemory,
  candidates: readonly ConflictCandidate[],
): Yielding<[JudgeInput<EnrichedMemory>, ...JudgeInput<ConflictCandidate>[]]> {
  const show = function* <T extends { readonly content: string }>(memory: T): Yielding<JudgeInput<T>> {
    return { memory, text: headOf(yield* textForModel(memory.content, policy)) }
  }
  const others: JudgeInput<ConflictCandidate>[] = []
  for (const candidate of candidates) others.push(yield* show(candidate))
  return [yield* show(memory), ...others]
}

async function judgeTogether(
  languageModel: LanguageModel,
  own: JudgeInput<EnrichedMemory>,
  others: readonly JudgeInput<ConflictCandidate>[],
  budget: JudgeBudget,
  signal: AbortSignal,
): Promise<JudgeInput<ConflictCandidate>[]> {
  const given = new Map(others.map((other, i) => [`m${i + 1}`, other]))
  const at = own.memory.validStart ?? own.memory.createdAt
  const entries = [...given].map(([ref, { memory, text }]) => entryOf(ref, memory.at, text))
  const { verdicts } = await languageModel.complete(
    { instructions: INSTRUCTIONS, input: quoteAsData([entryOf('this', at, own.text), ...entries]) },
    JUDGEMENT_SCHEMA,
    { maxOutputTokens: MAX_OUTPUT_TOKENS, lane: 'background', ...budget },
    signal,
  )
  const read = new Map([...given].map(([ref, { memory, text }]) => [ref, { id: memory.id, text }]))
  const ids = new Set(conflictsFrom(verdicts, own.text, read))
  return others.filter(({ memory }) => ids.has(memory.id))
}

function entryOf(ref: string, at: Date, text: string): object {
  return { ref, at: at.toISOString(), text }
}

function headOf(content: string): string {
  return withoutHalfCharacter(content.slice(0, JUDGED_CHARACTERS))
}
