import { sql } from 'kysely'
import type { Language } from '../../domain/text/language.js'
import { jsonList } from '../../runtime/json.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { System, Writer } from '../store.js'
import type { AuthoredText } from './find-languages.js'

/** A memory whose language nobody has looked for. */
export interface UnreadMemory extends AuthoredText {
  readonly tenantId: string
  readonly id: string
  readonly version: number
}

export interface ReadMemory extends UnreadMemory {
  readonly language: Language | null
}

/**
 * Reads up to `limit` memories of all tenants that an earlier version wrote. Locks none: what changes meanwhile, `storeMemoryLanguages` leaves
 * out.
 */
export async function readUnreadMemories({ db }: System, { limit }: { limit: number }): Promise<UnreadMemory[]> {
  return db
    .selectFrom('memories')
    .select(['tenant_id as tenantId', 'id', 'version', 'content', 'agent_id as agentId', 'run_id as runId'])
    .where(sql<boolean>`not is_language_read`)
    .limit(limit)
    .execute()
}

/**
 * Stores the languages of these memories, and has those that have one indexed again; returns the number of memories. No version changes:
 * nobody wrote them. Leaves out those that have changed since they were read, and those that another transaction has locked: they are read again.
 */
export async function storeMemoryLanguages({ db }: System, memories: readonly ReadMemory[]): Promise<number> {
  const given = await jsonList(memories, ({ tenantId, id, version, language }) => {
    return { tenant_id: tenantId, id, version, language }
  })
  const { rows } = await sql<{ stored: number }>`
    with kept as materialized (
      select m.tenant_id, m.id, m.status, g.language
      from jsonb_to_recordset(${given}::jsonb) as g(tenant_id text, id uuid, version int, language text)
      join memories m on m.tenant_id = g.tenant_id and m.id = g.id
      where m.version = g.version and not m.is_language_read for update of m skip locked
    ), stored as (
      update memories m set language = k.language, is_language_read = true
      from kept k where m.tenant_id = k.tenant_id and m.id = k.id
    ), counted as (
      insert into language_counter_deltas (tenant_id, language, delta)
      select tenant_id, language, count(*) from kept where language is not null group by tenant_id, language
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id)
      select tenant_id, 'memory', id from kept where language is not null and status <> 'deleted' order by tenant_id, id
      ${ON_CONFLICT_REQUEUE}
    )
    select count(*)::int as stored from kept`.execute(db)
  return rows[0]!.stored
}

/** Counts the language that a change gives to a memory of an earlier version, which the job then leaves out; does nothing for any other memory. */
export async function countLanguageOfFormer(
  { db, tenantId }: Writer,
  id: string,
  language: Language | null,
): Promise<void> {
  if (language === null) return
  await sql`
    insert into language_counter_deltas (tenant_id, language, delta)
    select tenant_id, ${language}, 1 from memories
    where tenant_id = ${tenantId} and id = ${id} and not is_language_read`.execute(db)
}
