import { sql } from 'kysely'
import { membersOf } from '../../domain/documents/members.js'
import { jsonList } from '../../runtime/json.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { System } from '../store.js'
import { PAGE_BYTES } from './document-row.js'

/** A document that an earlier version wrote, at the version at which it was read. */
export interface FormerDocument {
  readonly tenantId: string
  readonly id: string
  readonly collection: string
  readonly version: number
  /** Null for a document without lists. */
  readonly data: Record<string, unknown> | null
}

/**
 * Reads up to `limit` documents of all tenants that an earlier version wrote, fewer where they are large as they are stored. Locks none: what
 * changes meanwhile, `storeFormerMembers` leaves out.
 */
export async function readFormerDocuments({ db }: System, { limit }: { limit: number }): Promise<FormerDocument[]> {
  const { rows } = await sql<FormerDocument>`
    with first as materialized (
      select tenant_id, id, pg_column_size(data) as bytes from documents
      where members_stored is null order by tenant_id, id limit ${limit}
    ), sized as (
      select tenant_id, id, sum(bytes) over (order by tenant_id, id) - bytes as before from first
    )
    select d.tenant_id as "tenantId", d.id, d.collection, d.version,
      case when jsonb_path_exists(d.data, 'strict $.* ? (@.type() == "array")') then d.data end as data
    from sized s join documents d using (tenant_id, id) where s.before < ${PAGE_BYTES}`.execute(db)
  return rows
}

/**
 * Stores the members of these documents, and has those with lists indexed again; returns the number of documents. Leaves out those that have changed since they were
 * read, and those that another transaction has locked: they are read again.
 */
export async function storeFormerMembers({ db }: System, documents: readonly FormerDocument[]): Promise<number> {
  const given = await jsonList(documents, ({ tenantId, id, version, collection, data }) => {
    const { rows: members, stored } = membersOf(data ?? {})
    return { tenant_id: tenantId, id, version, collection, members, members_stored: stored }
  })
  const { rows } = await sql<{ stored: number }>`
    with given as materialized (
      select * from jsonb_to_recordset(${given}::jsonb) as g(
        tenant_id text, id uuid, version int, collection text, members jsonb, members_stored boolean)
    ), kept as materialized (
      select g.* from given g join documents d on d.tenant_id = g.tenant_id and d.id = g.id
      where d.members_stored is null and d.version = g.version for update of d skip locked
    ), stored as (
      update documents d set members_stored = k.members_stored from kept k where d.tenant_id = k.tenant_id and d.id = k.id
    ), listed as (
      insert into document_members (tenant_id, document_id, key, collection, value)
      select tenant_id, id, member.key, collection, member.value
      from kept, jsonb_to_recordset(members) as member(key text, value text)
      on conflict do nothing
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id)
      select tenant_id, 'document', id from kept where members <> '[]' or not members_stored order by tenant_id, id
      ${ON_CONFLICT_REQUEUE}
    )
    select count(*)::int as stored from kept`.execute(db)
  return rows[0]!.stored
}
