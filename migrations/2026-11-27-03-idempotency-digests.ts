import type { Kysely } from 'kysely'
import { run, runOnAllTenants } from './tenant-tables.js'

const DROP_KEY = 'alter table idempotency_keys drop constraint idempotency_keys_pkey'
const ADD_KEY = 'alter table idempotency_keys add primary key (tenant_id, identity, route, idempotency_key)'

/**
 * Stores of an idempotency key its SHA-256. Keys that are there, of the last 24 hours, are still found. The primary key is made anew: it would be
 * checked row by row, and a caller may have sent the digest of one key as another.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(db, DROP_KEY)
  await runOnAllTenants(
    db,
    `update idempotency_keys set idempotency_key = encode(sha256(convert_to(idempotency_key, 'UTF8')), 'hex')`,
  )
  await run(db, ADD_KEY)
}

/** A key cannot be read from its digest, so that repeated requests are new ones. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(db, 'delete from idempotency_keys')
}
