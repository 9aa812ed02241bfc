import { sql } from 'kysely'
import { AUDIT_COLUMNS, auditedBy } from '../audit.js'
import type { Writer } from '../store.js'
import { removeUnusedEntities, removeUnusedVectors } from '../unused.js'

/**
 * Removes rows that the caller has locked for good, with everything that refers to them: links, supersessions, usage,
 * counts, vectors of texts that no other memory has, and entities that no memory names any more. Does not touch the
 * index. Returns the hashes of their texts.
 */
export async function removeMemories(
  writer: Writer,
  ids: readonly string[],
  { action, at }: { action: 'memory.purged' | 'memory.erased'; at: Date },
): Promise<Buffer[]> {
  if (ids.length === 0) return []
  const { rows: named } = await sql<{ id: string }>`
    select entity_id as id from entity_links where tenant_id = ${writer.tenantId} and memory_id = any(${ids as string[]}::uuid[])
    union
    select subject_entity_id from memories
    where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[]) and subject_entity_id is not null`.execute(
    writer.db,
  )
  const { rows: gone } = await sql<{ textHash: Buffer }>`
    with gone as (
      delete from memories where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[])
      returning id, fleet_id, agent_id, visibility, memory_type, status, text_hash
    ), forgotten as (
      delete from memory_usage where tenant_id = ${writer.tenantId} and memory_id = any(${ids as string[]}::uuid[])
    ), counted as (
      insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
      select ${writer.tenantId}, fleet_id, agent_id, visibility, memory_type, status, -count(*) from gone
      group by fleet_id, agent_id, visibility, memory_type, status
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, at)}, ${action}, 'memory', id::text, '{}' from gone order by id
    )
    select distinct text_hash as "textHash" from gone`.execute(writer.db)
  const textHashes = gone.map(({ textHash }) => textHash)
  await removeUnusedVectors(writer, textHashes)
  await removeUnusedEntities(
    writer,
    named.map(({ id }) => id),
  )
  return textHashes
}
