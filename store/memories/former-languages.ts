import { sql } from 'kysely'
import { languageOf } from '../../domain/text/language.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { System } from '../store.js'

/**
 * Finds the language of up to `limit` memories of all tenants that an earlier version wrote, and has those that have one indexed
 * again; returns their number. Leaves out rows that another transaction has locked. No version changes: nobody wrote them.
 */
export async function readFormerLanguages({ db }: System, { limit }: { limit: number }): Promise<number> {
  const rows = await db
    .selectFrom('memories')
    .select(['tenant_id as tenantId', 'id', 'content'])
    .where(sql<boolean>`not is_language_read`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  if (rows.length === 0) return 0
  await sql`
    with read as (
      update memories m set language = given.language, is_language_read = true
      from unnest(${rows.map(({ tenantId }) => tenantId)}::text[], ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ content }) => languageOf(content))}::text[]) as given(tenant_id, id, language)
      where m.tenant_id = given.tenant_id and m.id = given.id
      returning m.tenant_id, m.id, m.language, m.status
    ), counted as (
      insert into language_counter_deltas (tenant_id, language, delta)
      select tenant_id, language, count(*) from read where language is not null group by tenant_id, language
    )
    insert into index_pending (tenant_id, kind, entity_id)
    select tenant_id, 'memory', id from read where language is not null and status <> 'deleted' order by tenant_id, id
    ${ON_CONFLICT_REQUEUE}`.execute(db)
  return rows.length
}
