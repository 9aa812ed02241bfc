import type { Kysely } from 'kysely'
import { runOnAllTenants } from './tenant-tables.js'

/** Keeps of an idempotency key its SHA-256 alone. Keys that are there, of the last 24 hours, are still found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(
    db,
    `update idempotency_keys set idempotency_key = encode(sha256(convert_to(idempotency_key, 'UTF8')), 'hex')`,
  )
}

/** A key cannot be read from its digest, so that repeated requests are new ones. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(db, 'delete from idempotency_keys')
}
