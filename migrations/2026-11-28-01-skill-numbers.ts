import type { Kysely } from 'kysely'
import { dropTables, run, runOnAllTenants, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the numbers of the last versions of skills that were removed, by a digest of their names: a skill that is written again under such a
 * name goes on from there. A skill that is there has its own number. Of those removed before, the audit tells as far as it has their names.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table skill_numbers (
      ${TENANT_ID},
      doc_id_hash bytea not null,
      last_version integer not null,
      primary key (tenant_id, doc_id_hash)
    )`,
  )
  await secureTenantTables(db, ['skill_numbers'])
  await runOnAllTenants(
    db,
    `insert into skill_numbers (tenant_id, doc_id_hash, last_version)
    select tenant_id, sha256(convert_to(doc_id, 'UTF8')), max(version) from (
      select tenant_id, details ->> 'doc_id' as doc_id, (details ->> 'version')::integer as version from audit_events
      where action = 'skill.written' and details ? 'doc_id'
    ) written
    where not exists (select from skills s where s.tenant_id = written.tenant_id and s.doc_id = written.doc_id)
    group by tenant_id, doc_id`,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, ['skill_numbers'])
}
