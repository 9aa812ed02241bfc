import type { SearchHit } from '../search-index.js'
import { queryTerms } from '../terms.js'
import { readFrequencies, readTotals } from './counts.js'
import type { Scope } from './search.js'
import { matchAny, tokenOf } from './tokens.js'

/**
 * Rows that the rarest tokens of a search may match together, as far as the audience sees them. FTS5 ranks every row
 * that matches, so a common token would have most of a tenant ranked. Of 1,000 to 8,000 this finds the most evidence.
 */
const RANKED_ROWS = 2_000

/**
 * Ranks rows by FTS5's own bm25() over all of the tokens: those that have rare ones, or all that match where there are
 * too few hits otherwise.
 */
export function byKeyword(scope: Scope, terms: readonly string[]): SearchHit[] {
  const tokens = [...queryTerms(terms).keys()].map((term) => tokenOf(scope.tenant, term))
  if (tokens.length === 0) return []
  const rare = rareTokens(scope, tokens)
  if (rare.length > 0) {
    // A token that is named twice counts twice in the order, which finds more evidence, not less.
    const hits = rank(scope, [...rare, tokens].map((group) => `(${matchAny(group)})`).join(' AND '))
    if (hits.length === scope.size) return hits
  }
  return rank(scope, matchAny(tokens))
}

/**
 * Returns groups of tokens, of each of which a row must have one: the rarest tokens; where the rarest of all alone is
 * too common, it and the next ones. None where all matching rows may be ranked. Counts only what the audience sees, so
 * that rows hidden from it do not decide which rows it finds.
 */
function rareTokens({ connection, tenant, audience }: Scope, tokens: readonly string[]): string[][] {
  const frequencies = [...readFrequencies(connection, tokens, audience)].sort(([, a], [, b]) => a - b)
  const taken = takeWhileBelow(frequencies, RANKED_ROWS)
  if (taken.length === frequencies.length) return []
  if (taken.length > 0) return [taken]
  const [[rarest, rows], ...others] = frequencies as [[string, number], ...[string, number][]]
  // Equally frequent ones are parts of one compound in general, and in the same rows.
  const distinct = others.filter(([, documents]) => documents > rows)
  const { documents } = readTotals(connection, tenant, audience)
  const second = takeWhileBelow(distinct, (RANKED_ROWS * documents) / rows)
  return second.length === 0 ? [[rarest]] : [[rarest], second]
}

/** Returns the first tokens, for as long as the sum of their counts stays below `most`. */
function takeWhileBelow(frequencies: readonly (readonly [string, number])[], most: number): string[] {
  let sum = 0
  const end = frequencies.findIndex(([, documents]) => (sum += documents) > most)
  return frequencies.slice(0, end < 0 ? undefined : end).map(([token]) => token)
}

/** bm25() is negative and best at its lowest. */
function rank({ connection, filter, size }: Scope, match: string): SearchHit[] {
  // `cross join` keeps the full-text table first: the planner has no statistics for it.
  const rows = connection.all<[string, number]>(
    `select d.id, -p.rank from postings p cross join documents d on d.rowid = p.rowid
     where p.tokens match ? and ${filter.sql} order by p.rank limit ?`,
    [match, ...filter.binds, size],
  )
  return rows.map(([id, score]) => ({ id, score }))
}
