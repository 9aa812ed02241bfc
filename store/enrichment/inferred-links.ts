import { sql } from 'kysely'
import { linkAudience } from '../memories/audience.js'
import type { Writer } from '../store.js'

export interface InferredLink {
  readonly entityId: string
  readonly name: string
  readonly type: string | null
  readonly role: string | null
}

/**
 * Replaces the inferred links of a memory that the caller has locked, and leaves the callers' and found links alone.
 * Returns true when any link changed.
 */
export async function replaceInferredLinks(
  { tenantId, db }: Writer,
  memoryId: string,
  links: readonly InferredLink[],
): Promise<boolean> {
  const given = links.map(({ entityId, type, role, name }) => ({
    entity_id: entityId,
    entity_type: type,
    role: role ?? '',
    name,
  }))
  const { rows } = await sql<{ changed: number }>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g(entity_id uuid, entity_type text, role text, name text)
    ), gone as (
      delete from entity_links l
      where l.tenant_id = ${tenantId} and l.memory_id = ${memoryId} and l.origin = 'inferred'
        and not exists (select from given where given.entity_id = l.entity_id and given.role = l.role)
      returning 1
    ), made as (
      insert into entity_links as l (tenant_id, memory_id, entity_id, role, entity_type, origin, name, audience)
      select ${tenantId}, m.id, g.entity_id, g.role, g.entity_type, 'inferred', g.name, ${linkAudience()}
      from given g join memories m on m.tenant_id = ${tenantId} and m.id = ${memoryId} order by g.entity_id, g.role
      on conflict (tenant_id, memory_id, entity_id, role, origin) do update set entity_type = excluded.entity_type, name = excluded.name
        where l.entity_type is distinct from excluded.entity_type or l.name <> excluded.name
      returning 1
    )
    select (select count(*) from gone) + (select count(*) from made) as changed`.execute(db)
  return rows[0]!.changed > 0
}
