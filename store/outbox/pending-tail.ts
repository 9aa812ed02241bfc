import { type RawBuilder, sql } from 'kysely'
import type { PendingKind } from '../schema.js'
import type { Reader } from '../store.js'

export interface Tail {
  /** Rows that pass the filter now, newest change first. */
  readonly ids: readonly string[]
  /** Number of rows of which the index may hold an older copy, whether they still pass or not. */
  readonly stale: number
  /** False when there are more than `limit`, or more than are read. */
  readonly complete: boolean
  /** True when rows have expired since the beginning of the minute (`minuteOf`). */
  readonly hasJustExpired: boolean
}

/** Says how the rows of one kind are read. */
interface PendingRows {
  /** The row of `p.entity_id`, under the name by which `passing` calls it. */
  readonly row: RawBuilder<unknown>
  readonly passing: RawBuilder<boolean>
  readonly hasJustExpired: RawBuilder<boolean>
}

/**
 * Number of pending rows of a tenant that one search reads, including those that the caller may not see: 50,000 would
 * take it half a second. When there are more, a pending row of the caller's that is older than these is missing, and
 * the search reports so.
 */
const MAX_PENDING = 5_000

/**
 * Reads the pending tail: rows that are not in the index yet, newest first, at most `limit`. A row settles only once
 * the engine finds it, so a search that reads the tail first and then asks the engine misses nothing. Failed rows stay
 * in the tail until an operator has dealt with them. Rows that were updated, hidden ones too, or are erased are `stale`:
 * the index may find an older copy of them in place of another row.
 */
export async function readPendingTail(
  { db, tenantId }: Reader,
  kind: PendingKind,
  { row, passing, hasJustExpired }: PendingRows,
  limit: number,
): Promise<Tail> {
  const { rows } = await sql<{
    pending: number
    read: { id: string; passing: boolean; stale: boolean }[]
    expired: boolean
  }>`
    with pending as materialized (
      select p.entity_id, p.seq from index_pending p
      where p.tenant_id = ${tenantId} and p.kind = ${kind} and p.settled_at is null
      order by p.seq desc limit ${MAX_PENDING + 1}
    ),
    read as (
      select p.entity_id as id, coalesce(now.passing, false) as passing, coalesce(now.version > 1, true) as stale, p.seq
      from pending p left join lateral (select ${passing} as passing, version from ${row}) now on true
      where now.passing or now.version is null or now.version > 1
      order by p.seq desc limit ${limit + 1}
    )
    select (select count(*)::int from pending) as pending, ${hasJustExpired} as expired,
      (select coalesce(json_agg(json_build_object('id', id, 'passing', passing, 'stale', stale) order by seq desc), '[]') from read) as read`.execute(
    db,
  )
  const { pending, read: found, expired } = rows[0]!
  const ids = found.filter(({ passing }) => passing).map(({ id }) => id)
  return {
    ids: ids.slice(0, limit),
    stale: found.filter(({ stale }) => stale).length,
    complete: pending <= MAX_PENDING && found.length <= limit,
    hasJustExpired: expired,
  }
}
