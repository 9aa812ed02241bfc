import { sql } from 'kysely'
import type { DocumentData } from '../../domain/documents/document.js'
import type { Language } from '../../domain/text/language.js'
import { jsonList } from '../../runtime/json.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { System } from '../store.js'
import { PAGE_BYTES } from './document-row.js'

/** A version of a document whose language nobody has looked for. */
export interface UnreadDocument {
  readonly tenantId: string
  readonly id: string
  readonly version: number
  readonly data: DocumentData
}

export interface ReadDocument extends UnreadDocument {
  readonly language: Language | null
}

/**
 * Reads up to `limit` documents of all tenants that an earlier version wrote, fewer where they are large. Locks none: what changes meanwhile,
 * `storeDocumentLanguages` leaves out.
 */
export async function readUnreadDocuments({ db }: System, { limit }: { limit: number }): Promise<UnreadDocument[]> {
  const { rows } = await sql<UnreadDocument>`
    with first as materialized (
      select tenant_id, id, pg_column_size(data) as bytes from documents
      where language_version is distinct from version order by tenant_id, id limit ${limit}
    ), sized as (
      select tenant_id, id, sum(bytes) over (order by tenant_id, id) - bytes as before from first
    )
    select d.tenant_id as "tenantId", d.id, d.version, d.data
    from sized s join documents d using (tenant_id, id) where s.before < ${PAGE_BYTES}`.execute(db)
  return rows
}

/**
 * Stores the languages of these documents, and has those that have one indexed again; returns the number of documents. No version changes:
 * nobody wrote them. Leaves out those that have changed since they were read, and those that another transaction has locked: they are read again.
 */
export async function storeDocumentLanguages({ db }: System, documents: readonly ReadDocument[]): Promise<number> {
  const given = await jsonList(documents, ({ tenantId, id, version, language }) => {
    return { tenant_id: tenantId, id, version, language }
  })
  const { rows } = await sql<{ stored: number }>`
    with kept as materialized (
      select d.tenant_id, d.id, d.version, g.language, d.language_version is null as is_uncounted
      from jsonb_to_recordset(${given}::jsonb) as g(tenant_id text, id uuid, version int, language text)
      join documents d on d.tenant_id = g.tenant_id and d.id = g.id
      where d.version = g.version and d.language_version is distinct from d.version for update of d skip locked
    ), stored as (
      update documents d set language = k.language, language_version = k.version
      from kept k where d.tenant_id = k.tenant_id and d.id = k.id
    ), counted as (
      insert into language_counter_deltas (tenant_id, language, delta)
      select tenant_id, language, count(*) from kept where language is not null and is_uncounted group by tenant_id, language
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id)
      select tenant_id, 'document', id from kept where language is not null order by tenant_id, id
      ${ON_CONFLICT_REQUEUE}
    )
    select count(*)::int as stored from kept`.execute(db)
  return rows[0]!.stored
}
