import type { SearchHit } from '../search-index.js'
import { queryTerms } from '../terms.js'
import type { Condition } from './filters.js'
import { isPassing } from './passing.js'
import { readFrequencies, readTotals } from './read-counts.js'
import type { Scope } from './scope.js'

/**
 * Rows to rank, by the counts of their tokens: FTS5 ranks every row that matches, and a common token would have most of
 * a tenant ranked. Of 1,000 to 8,000 this found the most evidence.
 */
const RANKED_ROWS = 2_000
/** Matches of the tokens that take part in the order: FTS5 reads all of them, whatever rows it ranks. */
const READ_MATCHES = 20_000
/** Rows with rare tokens, for each requested hit, that make others unnecessary. */
const ENOUGH = 4

/**
 * Ranks rows by FTS5's own bm25(): those with rare tokens, or all that match where there are too few hits otherwise. A
 * token that the expression names twice counts twice, so the rare ones do, which finds more evidence and not less.
 */
export function byKeyword(scope: Scope, terms: readonly string[]): SearchHit[] {
  const tokens = [...queryTerms(terms).keys()].map((term) => tokenOf(scope.tenant, term))
  if (tokens.length === 0) return []
  const rare = rareRows(scope, tokens)
  if (rare === null) return rank(scope, matchAny(tokens), scope.filter)
  const hits = rank(scope, rare, scope.filter)
  if (hits.length === scope.size) return hits
  // As many rows as the tenant has may match now.
  return rank(scope, matchAny(tokens), scope.isConditional ? isPassing(scope, 'p') : scope.filter)
}

type Frequency = readonly [token: string, documents: number]

/**
 * Returns an expression that some `RANKED_ROWS` match: with any of the rarest tokens, and where those are in very few
 * rows, with the next one beside another. Null where all matching rows may be ranked. Counts only what the audience
 * sees, so that rows hidden from it do not decide which rows it finds.
 */
function rareRows({ connection, tenant, ranges, size }: Scope, tokens: readonly string[]): string | null {
  const frequencies = [...readFrequencies(connection, tokens, ranges)].sort(([, a], [, b]) => a - b)
  const rare = takeWhileBelow(frequencies, RANKED_ROWS)
  const next = frequencies[rare.length]
  if (next === undefined) return null
  const ordering = matchAny(
    tokensOf([...rare, next, ...takeWhileBelow(frequencies.slice(rare.length + 1), READ_MATCHES)]),
  )
  if (sumOf(rare) >= ENOUGH * size) return `(${matchAny(tokensOf(rare))}) AND (${ordering})`
  const [token, rows] = next
  const { documents } = readTotals(connection, tenant, ranges)
  // Equally frequent ones are parts of one compound in general, and in the same rows.
  const others = frequencies.filter((other) => other[1] > rows)
  const beside = takeWhileBelow(others, (RANKED_ROWS * documents) / rows)
  const both = beside.length === 0 ? matchAny([token]) : `(${matchAny([token])} AND (${matchAny(tokensOf(beside))}))`
  return `(${[...rare.map(([one]) => matchAny([one])), both].join(' OR ')}) AND (${ordering})`
}

/** Returns the first tokens, for as long as the sum of their counts stays below `most`. */
function takeWhileBelow(frequencies: readonly Frequency[], most: number): Frequency[] {
  let sum = 0
  const end = frequencies.findIndex(([, documents]) => (sum += documents) > most)
  return frequencies.slice(0, end < 0 ? undefined : end)
}

function sumOf(frequencies: readonly Frequency[]): number {
  return frequencies.reduce((sum, [, documents]) => sum + documents, 0)
}

function tokensOf(frequencies: readonly Frequency[]): string[] {
  return frequencies.map(([token]) => token)
}

/** bm25() is negative and best at its lowest. */
function rank({ connection, size }: Scope, match: string, filter: Condition): SearchHit[] {
  // `cross join` keeps the full-text table first: the planner has no statistics for it.
  const rows = connection.all<[string, number]>(
    `select d.id, -p.rank from postings p cross join documents d on d.rowid = p.rowid
     where p.tokens match ? and ${filter.sql} order by p.rank limit ?`,
    [match, ...filter.binds, size],
  )
  return rows.map(([id, score]) => ({ id, score }))
}

/**
 * Returns a term as one token of FTS5's ascii tokenizer with `_` as a token character, unique for every (tenant, term):
 * letters and digits stay readable, anything else is written in hexadecimal after a second underscore. Terms therefore
 * need no quoting and are never folded or split, and a token's document frequency is that of the tenant alone.
 */
export function tokenOf(tenant: number, term: string): string {
  return PLAIN.test(term) ? `${tenant}_${term}` : `${tenant}__${Buffer.from(term).toString('hex')}`
}

const PLAIN = /^[a-z0-9]+$/

/** Returns a MATCH expression for rows that contain at least one of the tokens. */
export function matchAny(tokens: readonly string[]): string {
  return tokens.map((token) => `"${token}"`).join(' OR ')
}
