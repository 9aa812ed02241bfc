import { sql } from 'kysely'
import type { Language } from '../../domain/text/language.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { System } from '../store.js'
import { readLanguageCounts } from '../tenants/language-counts.js'
import { type AuthoredText, findLanguages } from './find-languages.js'

/**
 * Finds the language of up to `limit` memories of all tenants that an earlier version wrote, and has those that have one indexed
 * again; returns the number of memories read. Leaves out rows that another transaction has locked. No version changes: nobody wrote them.
 */
export async function readFormerLanguages({ db }: System, { limit }: { limit: number }): Promise<number> {
  const rows = await db
    .selectFrom('memories')
    .select(['tenant_id as tenantId', 'id', 'content', 'agent_id as agentId', 'run_id as runId'])
    .where(sql<boolean>`not is_language_read`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  if (rows.length === 0) return 0
  const languages = await languagesOf(db, rows)
  await sql`
    with read as (
      update memories m set language = given.language, is_language_read = true
      from unnest(${rows.map(({ tenantId }) => tenantId)}::text[], ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map((row) => languages.get(row)!)}::text[]) as given(tenant_id, id, language)
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

interface FormerText extends AuthoredText {
  readonly tenantId: string
}

/** Finds the languages as a write does: by those of the tenant's and the run's other texts. */
async function languagesOf(db: System['db'], rows: readonly FormerText[]): Promise<Map<FormerText, Language | null>> {
  const languages = new Map<FormerText, Language | null>()
  for (const tenantId of new Set(rows.map((row) => row.tenantId))) {
    const texts = rows.filter((row) => row.tenantId === tenantId)
    const found = await findLanguages({ db, tenantId }, texts, await readLanguageCounts({ db, tenantId }))
    texts.forEach((text, i) => languages.set(text, found[i]!))
  }
  return languages
}
