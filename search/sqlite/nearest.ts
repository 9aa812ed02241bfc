import type { SearchHit } from '../search-index.js'
import { usableVector } from '../vectors.js'
import { bytesOf } from './code-blocks.js'
import { readAudienceNumbers } from './counts.js'
import { type Candidates, nearestCodes } from './nearest-codes.js'
import type { Scope } from './search.js'

/** Vectors that are compared exactly for each requested hit, and at least. */
const READ_AHEAD = 8
const LEAST_READ = 256
/** How many times as many are compared when the filter left too few of them. */
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
  const { connection, corpus, codes, shape, tenant, audience, size } = scope
  const query = shape.codec.query(usable)
  const blocks = codes.read(connection, corpus, tenant)
  const seen = audience.kind === 'own' ? null : readAudienceNumbers(connection, tenant, audience)
  const read = Math.max(LEAST_READ, READ_AHEAD * size)
  for (const count of [read, SECOND_READ * read]) {
    const candidates = nearestCodes(blocks, shape, query, { seen, passing: null, count })
    const { hits, passed } = compare(scope, usable, candidates)
    if (candidates.areAll || passed >= ENOUGH * size) return hits
  }
  const passing = readPassing(scope)
  return compare(scope, usable, nearestCodes(blocks, shape, query, { seen, passing, count: read })).hits
}

type Row = readonly [id: string, distance: number, passed: number]

/** Compares the candidates that pass the filter exactly; `passed` is their number. */
function compare({ connection, tenant, filter, size }: Scope, query: Float32Array, { counters }: Candidates) {
  const rows = connection.all<Row>(
    `select d.id, vector_distance_cos(v.embedding, ?) as distance, count(*) over ()
     from json_each(?) c cross join documents d on d.rowid = ? + c.value cross join vectors v on v.rowid = d.rowid
     where ${filter.sql} order by distance, d.rowid limit ?`,
    [bytesOf(query), JSON.stringify(counters), tenant * 2 ** 32, ...filter.binds, size],
  )
  const hits = rows.map(([id, distance]): SearchHit => ({ id, score: Math.max(-1, Math.min(1, 1 - distance)) }))
  return { hits, passed: rows[0]?.[2] ?? 0 }
}

/** Returns the counters of all documents that pass the filter: as one text, since each row of an answer costs 4 µs. */
function readPassing({ connection, tenant, filter }: Scope): Set<number> {
  const first = tenant * 2 ** 32
  const [row] = connection.all<[string | null]>(
    `select group_concat(d.rowid - ?) from documents d where d.rowid between ? and ? and ${filter.sql}`,
    [first, first, first + 2 ** 32 - 1, ...filter.binds],
  )
  return new Set((row![0] ?? '').split(',').map(Number))
}
