import type { Kysely } from 'kysely'
import { runOnAllTenants } from './tenant-tables.js'

/** Writes the skills of the Forge that belong to a fleet into the index again, where they have an audience of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(db, REINDEX)
}

/** An index that was written since is written again as it was. */
export async function down(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(db, REINDEX)
}

const REINDEX = `
  insert into index_pending (tenant_id, kind, entity_id)
  select tenant_id, 'document', id from documents
  where collection = 'skills' and fleet_id is not null and (starts_with(doc_id, 'forge/') or data ->> 'source' = 'forge')
  on conflict (tenant_id, kind, entity_id) do update set seq = nextval('change_seq'), changed_at = now(),
    due_at = excluded.due_at, attempts = 0, lease = null, ticket = null, settled_at = null, failed_at = null, error = null`
