import { audienceRanges } from '../audiences.js'
import type { SearchHit } from '../search-index.js'
import { usableVector } from '../vectors.js'
import { type Bind, bytesOf } from './connection.js'
import { readAudienceNumbers } from './read-counts.js'
import { type Candidates, nearestCodes } from './nearest-codes.js'
import type { Scope } from './scope.js'

/** Vectors that are compared exactly for each requested hit, by codes of 256 dimensions, and at least. */
const READ_AHEAD = 8
const LEAST_READ = 256
/** Factor by which more are compared when the filter left too few of them. */
const SECOND_READ = 6
/** Rows that must pass for each requested hit: the order of the codes is an estimate. */
const ENOUGH = 3

/**
 * Returns the nearest that pass the filter, by exact cosine: the codes of what the audience sees choose the candidates.
 * Other filters let most rows pass in general, so they are evaluated for the candidates only; where too few pass, for
 * more of them, and then for all rows before the candidates are chosen.
 */
export function nearest(scope: Scope, vector: Float32Array): SearchHit[] {
  const usable = usableVector(vector)
  if (usable === null) return []
  const { connection, corpus, codes, shape, tenant, size } = scope
  const query = shape.codec.query(usable)
  const blocks = codes.read(connection, corpus, tenant)
  const seen = audiencesToSearch(scope)
  const read = Math.max(LEAST_READ, Math.ceil(READ_AHEAD * size * shape.codec.error))
  for (const count of [read, SECOND_READ * read]) {
    const candidates = nearestCodes(blocks, shape, query, { seen, passing: null, count })
    const { hits, passed } = compare(scope, usable, candidates)
    if (candidates.areAll || passed >= ENOUGH * size) return hits
  }
  const all = { seen, passing: scope.passing(), count: read }
  return compare(scope, usable, nearestCodes(blocks, shape, query, all)).hits
}

/**
 * Returns the numbers of the audiences whose codes are compared; null for all. A code does not tell its author: where the
 * caller sees its own rows alone, or has some in other fleets, the codes beside them are compared too, and the filter
 * leaves their rows out.
 */
function audiencesToSearch({ connection, tenant, audience, elsewhere }: Scope): number[] | null {
  if (audience.kind === 'own') return null
  const searched =
    audience.kind === 'shared' && audience.fleets !== 'all'
      ? { ...audience, fleets: [...audience.fleets, ...elsewhere] }
      : audience
  return readAudienceNumbers(connection, tenant, audienceRanges(searched, []))
}

/** Compares the candidates that pass the filter exactly; `passed` is their number. */
function compare(scope: Scope, query: Float32Array, { counters }: Candidates) {
  const { connection, tenant, filter, size } = scope
  const first = tenant * 2 ** 32
  // Two statements: counting beside the order (`count(*) over ()`) would materialise every row, for twice the time.
  const passing = countersIn(
    scope,
    `from json_each(?) c cross join documents d on d.rowid = ? + c.value where ${filter.sql}`,
    [JSON.stringify(counters), first],
  )
  const rows = connection.all<[id: string, distance: number]>(
    `select d.id, n.distance
     from (
       select v.rowid, vector_distance_cos(v.embedding, ?) as distance
       from json_each(?) c cross join vectors v on v.rowid = ? + c.value
       order by distance, v.rowid limit ?
     ) n join documents d on d.rowid = n.rowid
     order by n.distance, n.rowid`,
    [bytesOf(query), JSON.stringify(passing), first, size],
  )
  const hits = rows.map(([id, distance]): SearchHit => ({ id, score: Math.max(-1, Math.min(1, 1 - distance)) }))
  return { hits, passed: passing.length }
}

/** Returns the counters of documents `d` as one text, since each row of an answer takes 4 µs. The filter's binds follow those given. */
export function countersIn({ connection, tenant, filter }: Scope, sql: string, binds: readonly Bind[]): number[] {
  const [row] = connection.all<[string | null]>(`select group_concat(d.rowid - ?) ${sql}`, [
    tenant * 2 ** 32,
    ...binds,
    ...filter.binds,
  ])
  return row![0] === null ? [] : row![0]!.split(',').map(Number)
}
