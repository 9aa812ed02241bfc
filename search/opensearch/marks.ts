import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFailure, type Connection } from './connection.js'
import { asLoss, assertAllAnswered, type ShardCounts } from './shard-copies.js'
import { vectorColumns } from './vector-columns.js'

/** The tenant id of a mark's document; no tenant's id contains U+0000. */
const OWNER = '\u0000mark'
/** A mark is stored as a tombstone that is never purged: no search finds it or counts it. */
const NEVER_PURGED = Number.MAX_SAFE_INTEGER
/**
 * Stands beside the mark of each shard and is never written again. A `_delete_by_query` passes over what changes under it, so it may spare
 * the mark, which changes four times a second; it does not spare this one.
 */
const ORIGIN = 'origin'
const TIMEOUT_MS = 10_000

/** The body of a search for the mark of the shard that is asked. */
export const MARK_QUERY = {
  query: { term: { tenant_id: OWNER } },
  docvalue_fields: ['id'],
  track_total_hits: false,
  size: 2,
}

/** Returns the mark among the ids that `MARK_QUERY` finds in a shard; null when it, or the origin beside it, is not there. */
export function markOf(ids: readonly string[]): string | null {
  return ids.includes(ORIGIN) ? (ids.find((id) => id !== ORIGIN) ?? null) : null
}

interface MarkHit {
  readonly _id: string
  readonly _routing: string
  readonly _seq_no: number
  readonly _primary_term: number
  readonly fields: { readonly id: readonly [string] }
}
interface MarkAnswer {
  readonly _shards: ShardCounts
  readonly hits: { readonly hits: readonly MarkHit[] }
}
interface BulkAnswer {
  readonly items: readonly { readonly [operation: string]: { readonly status: number } }[]
}

/** An index whose marks are written. */
interface MarkedIndex {
  readonly connection: Connection
  readonly alias: string
  readonly dimensions: number
}

/** Writes the mark to each shard that has none. */
export async function placeMarks({ connection, alias, dimensions }: MarkedIndex, mark: string): Promise<void> {
  const lines = (await routingsOf(connection, alias)).flatMap((routing) => [
    ...markLines('create', { _id: `#origin:${routing}`, routing }, ORIGIN, dimensions),
    ...markLines('create', { _id: `#mark:${routing}`, routing }, mark, dimensions),
  ])
  await writeMarks(connection, alias, lines)
}

/** Returns the mark of each shard, '' for one without; null when there is no index. Throws as `incomplete` when a shard has no copy. */
export async function readMarks(connection: Connection, alias: string): Promise<readonly string[] | null> {
  try {
    const { shards, hits } = await findMarks(connection, alias)
    const marks = hits.map(({ fields }) => fields.id[0])
    return [...marks, ...Array<string>(Math.max(0, shards - marks.length)).fill('')]
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    if (error.type === 'index_not_found_exception') return null
    throw await asLoss(connection, alias, error)
  }
}

/** Attempts of a replacement that conflicts with concurrent ones. */
const MAX_ATTEMPTS = 4
const PAUSE_MS = 250

/**
 * Replaces each mark that is one of `known`. Each is overwritten only in the version that was read (`if_seq_no`), so an
 * index that replaced the one that was read never gets its mark.
 */
export async function replaceMarks(
  { connection, alias, dimensions }: MarkedIndex,
  known: readonly string[],
  next: string,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    if (tries > 0) await sleep(PAUSE_MS)
    const { shards, hits } = await findMarks(connection, alias)
    const isKnown = (hit: MarkHit) => hit.fields.id[0] === next || known.includes(hit.fields.id[0])
    if (hits.length < shards || !hits.every(isKnown)) return false
    const old = hits.filter(({ fields }) => fields.id[0] !== next)
    if (old.length === 0) return true
    const lines = old.flatMap(({ _id, _routing: routing, _seq_no: if_seq_no, _primary_term: if_primary_term }) => [
      ...markLines('index', { _id, routing, if_seq_no, if_primary_term }, next, dimensions),
    ])
    if (await writeMarks(connection, alias, lines)) return true
  }
  throw new EngineFailure('opensearch: the mark of the index changes too often', false)
}

function markLines(
  operation: 'create' | 'index',
  target: { readonly _id: string } & Readonly<Record<string, unknown>>,
  mark: string,
  dimensions: number,
): object[] {
  const tombstone = { tenant_id: OWNER, id: mark, status: 'deleted', tombstoned_at: NEVER_PURGED }
  return [{ [operation]: target }, { ...tombstone, ...vectorColumns(null, target._id, dimensions) }]
}

/** Finds the marks that have their origin beside them. */
async function findMarks(connection: Connection, alias: string): Promise<{ shards: number; hits: readonly MarkHit[] }> {
  const request = {
    method: 'POST',
    path: `/${alias}/_search`,
    body: { ...MARK_QUERY, size: 1_000, seq_no_primary_term: true },
  } as const
  const { _shards, hits } = await connection.call<MarkAnswer>(request, { timeoutMs: TIMEOUT_MS })
  assertAllAnswered(_shards)
  const isOrigin = (hit: MarkHit) => hit.fields.id[0] === ORIGIN
  const origins = new Set(hits.hits.filter(isOrigin).map(({ _routing }) => _routing))
  return { shards: _shards.total, hits: hits.hits.filter((hit) => !isOrigin(hit) && origins.has(hit._routing)) }
}

/** Returns false on a version conflict. Throws for any other failure. */
async function writeMarks(connection: Connection, alias: string, lines: readonly object[]): Promise<boolean> {
  const query = { refresh: 'wait_for', require_alias: 'true' }
  const request = { method: 'POST', path: `/${alias}/_bulk`, query, lines } as const
  const { items } = await connection.call<BulkAnswer>(request, { timeoutMs: TIMEOUT_MS })
  const statuses = items.flatMap((item) => Object.values(item).map(({ status }) => status))
  const failed = statuses.find((status) => status >= 300 && status !== 409)
  if (failed !== undefined) throw new EngineFailure(`opensearch: mark ${failed}`, false, failed)
  return !statuses.includes(409)
}

/** Returns for each shard the first of r0, r1, r2 … that routes to it. */
async function routingsOf(connection: Connection, alias: string): Promise<string[]> {
  type Shards = { readonly shards: readonly (readonly { readonly shard: number }[])[] }
  const shardsOf = async (query: Record<string, string>) => {
    const request = { method: 'GET', path: `/${alias}/_search_shards`, query } as const
    return (await connection.call<Shards>(request, { timeoutMs: TIMEOUT_MS })).shards
  }
  const wanted = (await shardsOf({})).length
  const found = new Map<number, string>()
  for (let i = 0; found.size < wanted; i++) {
    const shard = (await shardsOf({ routing: `r${i}` }))[0]![0]!.shard
    if (!found.has(shard)) found.set(shard, `r${i}`)
  }
  return [...found.values()]
}
