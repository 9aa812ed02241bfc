import type {
  AnalysedQuery,
  Candidate,
  PieceSimilarity,
  RankedMemory,
  TermStatistics,
} from '../../domain/ranking/candidate.js'
import { hashTerms } from '../../domain/ranking/hashed-terms.js'
import { poolStatistics } from '../../domain/ranking/lexical.js'
import { NEIGHBOUR_OFFSETS } from '../../domain/ranking/pool.js'
import { rank } from '../../domain/ranking/rank.js'
import { shortVector } from '../../domain/ranking/vectors.js'
import { DEFAULT_SETTINGS } from '../../domain/settings/settings.gen.js'
import { UTC } from '../../domain/text/time-zone.js'
import { runToEnd } from '../../domain/yielding.js'

export const NOW = Date.parse('2026-05-01T12:00:00Z')
export const DAY = 86_400_000
export const OPTIONS = { now: NOW, freshnessFloor: DEFAULT_SETTINGS.recall.freshness_floor }
export const WORDS = ['fox', 'den', 'sea', 'oak']

/** Pieces are words, by their number; the vixen is similar to the fox, and every other word only to itself. */
const PIECES = [...WORDS, 'vixen', 'unknown', 'thanks', 'great']
const NEAR: Readonly<Record<string, number>> = { 'fox vixen': 0.6 }
export const space: PieceSimilarity = {
  similaritiesTo: (piece, others) =>
    Float32Array.from(others, (other) => (other === piece ? 1 : (NEAR[`${PIECES[piece]} ${PIECES[other]}`] ?? 0))),
}
const piecesOf = (words: readonly string[]) => Uint16Array.from(new Set(words.map((word) => PIECES.indexOf(word))))

/** The fields of a candidate that matter to a test. */
export interface Given extends Partial<Omit<Candidate, 'text' | 'neighbours'>> {
  readonly words?: readonly string[]
  readonly vector?: readonly number[] | null
  readonly beside?: Readonly<Record<number, string>>
  readonly text?: Partial<Candidate['text']>
}

/** Returns a candidate that nothing distinguishes but what is given. */
export function candidate(
  id: string,
  { words = [], vector = null, beside = {}, text, ...given }: Given = {},
): Candidate {
  return {
    id,
    memoryType: 'fact',
    status: 'active',
    weight: 0.5,
    runId: null,
    createdAt: NOW,
    recallCount: 0,
    entities: 0,
    hop: 0,
    neighbours: NEIGHBOUR_OFFSETS.map((offset) => beside[offset] ?? null),
    text: {
      terms: hashTerms(words),
      length: words.length,
      vector: vector && shortVector(unit(vector)),
      pieces: piecesOf(words),
      author: null,
      stated: 1,
      mentionsTime: false,
      textKey: id,
      at: NOW,
      until: null,
      ...text,
    },
    ...given,
  }
}

/** Returns the vector with a length of 1. */
export function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1
  return Float32Array.from(vector, (value) => value / length)
}

/** Ranks the candidates for a query. */
export function ranked(candidates: readonly Candidate[], query: GivenQuery = { terms: ['fox'] }): RankedMemory[] {
  const asked = queryOf(query)
  return runToEnd(rank(asked, candidates, statisticsOf(candidates, asked.groups.flat()), space, OPTIONS))
}

/** The fields of a query that matter to a test; `terms` are words of one term each. */
export interface GivenQuery extends Partial<AnalysedQuery> {
  readonly terms?: readonly string[]
}

/** Returns a query of these terms, each of which is one word. */
export function queryOf({ terms = [], ...query }: GivenQuery): AnalysedQuery {
  const groups = terms.map((term) => [term])
  const words = terms.map((term) => ({ word: term, terms: [term], pieces: piecesOf([term]) }))
  return { groups, words, vector: null, times: [], zone: UTC, isTemporalQuestion: false, author: null, ...query }
}

/** Counts the terms over the candidates alone. */
export function statisticsOf(candidates: readonly Candidate[], terms: readonly string[]): TermStatistics {
  return poolStatistics(
    null,
    candidates.map(({ text }) => text),
    terms,
  )
}

export const idsOf = (result: readonly RankedMemory[]) => result.map((row) => row.candidate.id)
export const byId = (result: readonly RankedMemory[]) => new Map(result.map((row) => [row.candidate.id, row]))
