import { sql } from 'kysely'
import { membersOf } from '../../domain/documents/members.js'
import { jsonListYielding } from '../../runtime/json-yielding.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { System } from '../store.js'
import { PAGE_BYTES } from './document-row.js'

interface FormerDocument {
  readonly tenantId: string
  readonly id: string
  readonly collection: string
  /** Null for a document without lists. */
  readonly data: Record<string, unknown> | null
}

/**
 * Stores the members of up to `limit` documents of all tenants that an earlier version wrote, of fewer where they are
 * large; returns their number. Those with lists are indexed again. Leaves out documents that another transaction has locked.
 */
export async function storeFormerMembers({ db }: System, { limit }: { limit: number }): Promise<number> {
  const { rows } = await sql<FormerDocument>`
    with kept as materialized (
      select tenant_id, id, collection, case when jsonb_path_exists(data, 'strict $.* ? (@.type() == "array")') then data end as data
      from documents where members_stored is null limit ${limit} for update skip locked
    ), sized as (
      select *, sum(octet_length(data::text)) over (order by tenant_id, id) - octet_length(data::text) as before from kept
    )
    select tenant_id as "tenantId", id, collection, data from sized where before is null or before < ${PAGE_BYTES}`.execute(
    db,
  )
  if (rows.length === 0) return 0
  const given = await jsonListYielding(rows, ({ tenantId, id, collection, data }) => {
    const { rows: members, stored } = membersOf(data ?? {})
    return { tenant_id: tenantId, id, collection, members, members_stored: stored }
  })
  await sql`
    with given as (
      select * from jsonb_to_recordset(${given}::jsonb) as g(tenant_id text, id uuid, collection text, members jsonb, members_stored boolean)
    ), stored as (
      update documents d set members_stored = g.members_stored from given g where d.tenant_id = g.tenant_id and d.id = g.id
    ), listed as (
      insert into document_members (tenant_id, document_id, key, collection, value)
      select tenant_id, id, member.key, collection, member.value
      from given, jsonb_to_recordset(members) as member(key text, value text)
      on conflict do nothing
    )
    insert into index_pending (tenant_id, kind, entity_id)
    select tenant_id, 'document', id from given where members <> '[]' or not members_stored order by tenant_id, id
    ${ON_CONFLICT_REQUEUE}`.execute(db)
  return rows.length
}
