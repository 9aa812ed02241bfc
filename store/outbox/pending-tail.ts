import { type RawBuilder, sql } from 'kysely'
import type { PendingKind } from '../schema.js'
import type { Reader } from '../store.js'

export interface Tail {
  /** Rows that pass the filter now, newest change first. */
  readonly ids: readonly string[]
  /** Rows that pass no more, or are gone, and of which the index may hold a copy that does. */
  readonly stale: number
  /** False when there is more than was asked for, or than is looked through. */
  readonly complete: boolean
}

/**
 * Pending rows of a tenant that one search looks through, those included that the caller may not see: 50,000 would take it half a
 * second. With more, a pending row of the caller's that is older than these is missing, and the search says so.
 */
const MOST_PENDING = 5_000

/**
 * The pending tail: rows that the index has yet to take, newest first, at most `limit`. A row settles only once the engine finds
 * it, so whoever reads the tail first and asks the engine then misses nothing. Parked rows stay in the tail until an operator
 * has seen to them. `read` selects `id`, `passing` and `seq` from `pending p`: what passes, and what may be in the index as if it did.
 */
export async function readPendingTail(
  { db, tenantId }: Reader,
  kind: PendingKind,
  read: RawBuilder<unknown>,
  limit: number,
): Promise<Tail> {
  const { rows } = await sql<{ pending: number; read: { id: string; passing: boolean }[] }>`
    with pending as materialized (
      select p.entity_id, p.seq from index_pending p
      where p.tenant_id = ${tenantId} and p.kind = ${kind} and p.settled_at is null
      order by p.seq desc limit ${MOST_PENDING + 1}
    ),
    read as (${read} order by p.seq desc limit ${limit + 1})
    select (select count(*)::int from pending) as pending,
      (select coalesce(json_agg(json_build_object('id', id, 'passing', passing) order by seq desc), '[]') from read) as read`.execute(
    db,
  )
  const { pending, read: found } = rows[0]!
  const ids = found.filter(({ passing }) => passing).map(({ id }) => id)
  return {
    ids: ids.slice(0, limit),
    stale: found.length - ids.length,
    complete: pending <= MOST_PENDING && found.length <= limit,
  }
}
