import type { Kysely } from 'kysely'
import { run } from './tenant-tables.js'

/** Indexes the expiry of memories of every status that a recall may ask for: it looks for those that have expired within the minute. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'drop index memories_expiry',
    `create index memories_expiry on memories (tenant_id, expires_at) where expires_at is not null and status <> 'deleted'`,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'drop index memories_expiry',
    `create index memories_expiry on memories (tenant_id, expires_at)
      where expires_at is not null and status in ('active', 'pending', 'confirmed', 'conflicted')`,
  )
}
