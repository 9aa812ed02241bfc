import { sql } from 'kysely'
import { linkAudience } from '../memories/audience.js'
import { lockVersions, type MemoryVersion } from '../memories/lock-memories.js'
import type { Writer } from '../store.js'

/** Entities that the service found in a memory's text, at one version of it. */
interface FoundLinks extends MemoryVersion {
  readonly entities: readonly { readonly id: string; readonly type: string; readonly name: string }[]
}

/**
 * Replaces the found links of each memory, and leaves the callers' links alone. Skips a memory that is no longer at
 * this version: its change brings a job of its own. Returns the ids of those that were not skipped.
 */
export async function replaceFoundLinks(writer: Writer, found: readonly FoundLinks[]): Promise<Set<string>> {
  if (found.length === 0) return new Set()
  const locked = await lockVersions(writer, found)
  if (locked.size > 0)
    await writeLinks(
      writer,
      found.filter(({ memoryId }) => locked.has(memoryId)),
    )
  return locked
}

/** Removes the found links of a memory that the caller has locked, as its former text named them. */
export async function removeFoundLinks({ tenantId, db }: Writer, memoryId: string): Promise<void> {
  await db
    .deleteFrom('entity_links')
    .where('tenant_id', '=', tenantId)
    .where('memory_id', '=', memoryId)
    .where('origin', '=', 'found')
    .execute()
}

async function writeLinks({ tenantId, db }: Writer, found: readonly FoundLinks[]): Promise<void> {
  const memoryIds = found.map(({ memoryId }) => memoryId)
  const links = found.flatMap(({ memoryId, entities }) =>
    entities.map(({ id, type, name }) => ({ memory_id: memoryId, entity_id: id, entity_type: type, name })),
  )
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as g(memory_id uuid, entity_id uuid, entity_type text, name text)
    ), gone as (
      delete from entity_links l
      where l.tenant_id = ${tenantId} and l.memory_id = any(${memoryIds}::uuid[]) and l.origin = 'found'
        and not exists (select from given where given.memory_id = l.memory_id and given.entity_id = l.entity_id)
    )
    insert into entity_links as l (tenant_id, memory_id, entity_id, role, entity_type, origin, name, audience)
    select ${tenantId}, m.id, g.entity_id, '', g.entity_type, 'found', g.name, ${linkAudience()}
    from given g join memories m on m.tenant_id = ${tenantId} and m.id = g.memory_id order by g.memory_id, g.entity_id
    on conflict (tenant_id, memory_id, entity_id, role, origin) do update set entity_type = excluded.entity_type, name = excluded.name
      where l.entity_type is distinct from excluded.entity_type or l.name <> excluded.name`.execute(db)
}
