import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { ConflictError, IdempotencyMismatchError } from '../../runtime/errors.js'
import type { Writer, System } from '../store.js'

/** A request with an idempotency key. The key is unique per tenant, acting identity and route. Only its digest is stored: a key may contain personal data. */
export interface IdempotentRequest {
  readonly identity: string
  readonly route: string
  readonly key: string
  readonly bodyHash: Buffer
  readonly now: Date
}

export interface StoredResponse {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

const IDEMPOTENCY_WINDOW_MS = 24 * 3600_000
const WAIT_FOR_OTHER = '10s'
const LOCK_TIMEOUT = '55P03'

/**
 * Claims the key, as the first statement of an idempotent write. The claim lives and dies with the transaction: a
 * request that fails or whose process is killed frees the key at once, and another with the same key waits here on the
 * unique index until this one commits or rolls back. Returns the first request's response when there is one; null means
 * to continue and end with `saveResponse`. Throws IdempotencyMismatchError for a different body, ConflictError when the
 * first is still in progress after ten seconds.
 */
export async function claimIdempotencyKey(writer: Writer, request: IdempotentRequest): Promise<StoredResponse | null> {
  await sql`select set_config('lock_timeout', ${WAIT_FOR_OTHER}, true)`.execute(writer.db)
  const key = keyOf(writer, request)
  const claim = { request_hash: request.bodyHash, created_at: request.now }
  const claimed = await writer.db
    .insertInto('idempotency_keys')
    .values({ ...key, ...claim })
    .onConflict((conflict) =>
      conflict
        .columns(KEY_COLUMNS)
        .doUpdateSet({ ...claim, status: null, headers: null, body: null })
        .where('idempotency_keys.created_at', '<=', new Date(request.now.getTime() - IDEMPOTENCY_WINDOW_MS)),
    )
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if ((error as { code?: string }).code !== LOCK_TIMEOUT) throw error
      throw new ConflictError('A request with this Idempotency-Key is still in progress.', { retryAfterS: 1 })
    })
  await sql`select set_config('lock_timeout', '0', true)`.execute(writer.db)
  if (claimed.numInsertedOrUpdatedRows! > 0n) return null

  const first = await writer.db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'status', 'headers', 'body'])
    .where((row) => row.and(key))
    .executeTakeFirstOrThrow()
  if (!first.request_hash.equals(request.bodyHash)) throw new IdempotencyMismatchError()
  return { status: first.status!, headers: first.headers ?? {}, body: JSON.parse(first.body!) }
}

/** Stores the response for repeated requests, as the last of the write's own statements. */
export async function saveResponse(writer: Writer, request: IdempotentRequest, answer: StoredResponse): Promise<void> {
  await writer.db
    .updateTable('idempotency_keys')
    .set({ status: answer.status, headers: JSON.stringify(answer.headers ?? {}), body: JSON.stringify(answer.body) })
    .where((row) => row.and(keyOf(writer, request)))
    .execute()
}

const KEY_COLUMNS = ['tenant_id', 'identity', 'route', 'idempotency_key'] as const

function keyOf({ tenantId }: Writer, { identity, route, key }: IdempotentRequest) {
  return { tenant_id: tenantId, identity, route, idempotency_key: digestOf(key) }
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

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
