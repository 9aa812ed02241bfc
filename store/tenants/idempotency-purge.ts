import { sql } from 'kysely'
import { IDEMPOTENCY_WINDOW_MS } from './idempotency.js'
import type { System } from '../store.js'

/** Deletes up to `limit` keys whose window is over; returns how many. Safe to run in many processes at once. */
export async function purgeIdempotencyKeys({ db }: System, options: { now: Date; limit?: number }): Promise<number> {
  const { now, limit = 5_000 } = options
  const { rows } = await sql`
    with old as materialized (
      select ctid from idempotency_keys where created_at <= ${new Date(now.getTime() - IDEMPOTENCY_WINDOW_MS)}
      order by created_at limit ${limit} for update skip locked
    )
    delete from idempotency_keys k using old where k.ctid = old.ctid
    returning 1`.execute(db)
  return rows.length
}
