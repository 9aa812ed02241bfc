import { alikePairs, type Pair } from '../../../domain/answers/alike.js'
import { MOST_COMPARED } from '../../../domain/answers/comparison.js'
import { type Answer, type ChainLink, compose } from '../../../domain/answers/compose.js'
import { Groups } from '../../../domain/answers/groups.js'
import { pack } from '../../../domain/answers/budget.js'
import type { RecallQuery } from '../../../domain/query.js'
import type { DeduplicatedMemory } from '../../../domain/ranking/rank.js'
import type { Checked } from '../../../contract/types.js'
import type { Yielding } from '../../../domain/yielding.js'
import { type MemoryRow, previewOf } from '../../../store/memories/read-memories.js'

/** Earlier or later statements of one thing that are returned. */
const MOST_OF_CHAIN = 20

export interface RankedRow {
  readonly ranked: DeduplicatedMemory
  readonly row: MemoryRow
}

/** The results of the ranking that answers may be composed of. */
export interface Composable {
  /** Results whose rows are read, best first. */
  readonly wanted: readonly DeduplicatedMemory[]
  readonly links: readonly ChainLink[]
  readonly pairs: readonly Pair[]
}

/** Returns what may become one of the `shown` best answers. Where nothing is alike, these are the best results. */
export function composable(
  { direction }: RecallQuery,
  first: readonly DeduplicatedMemory[],
  links: readonly ChainLink[],
  shown: number,
): Composable {
  if (direction === null) return { wanted: first.slice(0, shown), links: [], pairs: [] }
  const pairs = alikePairs(first.map(({ candidate }) => candidate))
  const groups = new Groups<string>()
  for (const [a, b] of pairs) groups.join(a, b)
  for (const { oldId, newId } of links) groups.join(oldId, newId)
  // One answer of each group at least has the best score of the group, and none has a better one.
  const grouped = groups.of(first, ({ candidate }) => candidate.id)
  const bestOf = (group: readonly DeduplicatedMemory[]) => group.reduce((best, { score }) => Math.max(best, score), 0)
  const least = grouped.map(bestOf).sort((a, b) => b - a)[shown - 1] ?? 0
  // Which pairs are compared, where that is not all, depends on every result.
  const kept = pairs.length > MOST_COMPARED ? grouped : grouped.filter((group) => bestOf(group) >= least)
  const wanted = new Set(kept.flat())
  return { wanted: first.filter((result) => wanted.has(result)), links, pairs }
}

/** An answer with as much of its text, and of what is folded under it, as is returned. */
export interface PackedAnswer extends Answer<RankedRow> {
  /** The beginning of its content; null where all of it is returned. */
  readonly cut: string | null
}

/** Packs answers into the budget of a request, and counts those that have no room. */
export function* packAnswers(
  answers: readonly Answer<RankedRow>[],
  {
    max_tokens: tokens = Infinity,
    max_characters: characters = Infinity,
  }: Pick<Checked<'RecallRequest'>, 'max_tokens' | 'max_characters'>,
): Yielding<{ readonly packed: readonly PackedAnswer[]; readonly leftOut: number }> {
  const shown = answers.map(({ result, copies, earlier, later }) => ({
    result,
    copies,
    earlier: earlier.slice(0, MOST_OF_CHAIN),
    later: later.slice(0, MOST_OF_CHAIN),
  }))
  if (tokens === Infinity && characters === Infinity)
    return { packed: shown.map((answer) => ({ ...answer, cut: null })), leftOut: 0 }
  const parcels = shown.map(({ result: { ranked, row }, earlier, later }) => ({
    score: ranked.score,
    language: row.language,
    title: row.title ?? '',
    content: row.content,
    beside: [...earlier, ...later].map((member) => previewOf(member.result.row.content)),
  }))
  const packed = (yield* pack(parcels, { tokens, characters })).map(({ place, cut, beside }) => {
    const { result, copies, earlier, later } = shown[place]!
    const laterShown = Math.max(0, beside - earlier.length)
    return { result, cut, copies, earlier: earlier.slice(0, beside), later: later.slice(0, laterShown) }
  })
  return { packed, leftOut: answers.length - packed.length }
}

/** Composes the results, best first, to the answers that are asked for (domain/answers). */
export function composeAnswers(
  { topK, direction, terms, filter }: RecallQuery,
  best: readonly DeduplicatedMemory[],
  rows: ReadonlyMap<string, MemoryRow>,
  { links, pairs }: Composable,
): readonly Answer<RankedRow>[] {
  const results = best.map((ranked) => ({ ranked, row: rows.get(ranked.candidate.id)! }))
  if (direction === null)
    return results.slice(0, topK).map((result) => ({ result, copies: [], earlier: [], later: [] }))
  const asked = new Set(terms)
  return compose(results, pairs, links, {
    direction,
    now: filter.validAt ?? filter.knownAt ?? filter.now,
    has: (term) => asked.has(term),
  }).slice(0, topK)
}
