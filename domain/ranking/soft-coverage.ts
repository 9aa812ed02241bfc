import type { Candidate, PieceSimilarity, QueryWord, TermStatistics } from './candidate.js'
import { rarity } from './lexical.js'
import { beside, type Pool } from './pool.js'

/** What a match in the row before (-1), two before, after and two after counts. */
export const WINDOW: ReadonlyMap<number, number> = new Map([
  [-1, 0.85],
  [-2, 0.7],
  [1, 0.7],
  [2, 0.5],
])

/** The rarest pieces of a query that are matched; a usual question has some ten. Each is compared with every piece of the pool. */
const MOST_PIECES = 32

/**
 * Late interaction over word pieces (as ColBERT does it over contextual ones: Khattab and Zaharia, 2020). Each piece of the
 * query takes its best match in the memory or, for less, beside it; the share of the query's rarity that is matched is the
 * evidence, 0..1. Near words match in part, so it is expansion and morphology in one. By id.
 */
export function softCoverage(
  words: readonly QueryWord[],
  pool: Pool,
  statistics: TermStatistics,
  space: PieceSimilarity,
): Map<string, number> {
  const weights = new Map<number, number>()
  for (const { term, pieces } of words) for (const piece of pieces) weights.set(piece, rarity(term, statistics))
  const rarest = [...weights].sort(([a, x], [b, y]) => y - x || a - b).slice(0, MOST_PIECES)
  const asked = rarest.map(([piece]) => piece)
  const total = rarest.reduce((sum, [, weight]) => sum + weight, 0)
  const matches = new Map<string, Float32Array>()
  const nearness = asked.map((piece) => space.nearnessTo(piece))
  for (const [id, { text }] of pool)
    matches.set(
      id,
      Float32Array.from(nearness, (nearest) => nearest(text.pieces)),
    )

  const cover = (candidate: Candidate) => {
    const best = Float32Array.from(matches.get(candidate.id)!)
    for (const [offset, other] of beside(candidate, pool)) {
      const share = WINDOW.get(offset) ?? 0
      const theirs = matches.get(other.id)!
      for (let i = 0; i < best.length; i++) best[i] = Math.max(best[i]!, share * theirs[i]!)
    }
    return asked.reduce((sum, piece, i) => sum + weights.get(piece)! * best[i]!, 0)
  }
  return new Map([...pool].map(([id, candidate]) => [id, total === 0 ? 0 : cover(candidate) / total]))
}
