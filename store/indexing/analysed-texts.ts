import { sql } from 'kysely'
import type { MemoryVersion } from '../memories/lock-memories.js'
import type { Writer } from '../store.js'

/** A memory's text as ranking reads it, as domain/ranking/text-bytes.ts encodes it, with its vector by one model. */
export interface StoredText extends MemoryVersion {
  readonly model: string
  readonly bytes: Uint8Array
}

/**
 * Stores the analysed texts of memories that are still at these versions, in the place of earlier ones. Locks the
 * memories against removal, so that none is stored of a memory that is erased meanwhile; waits for nobody who changes
 * one, since what it becomes is indexed again.
 */
export async function storeAnalysedTexts({ tenantId, db }: Writer, texts: readonly StoredText[]): Promise<void> {
  if (texts.length === 0) return
  await sql`
    insert into analysed_texts as t (tenant_id, memory_id, model, version, bytes)
    select ${tenantId}, given.id, given.model, given.version, given.bytes
    from unnest(${texts.map(({ memoryId }) => memoryId)}::uuid[], ${texts.map(({ model }) => model)}::text[],
        ${texts.map(({ version }) => version)}::int[], ${texts.map(({ bytes }) => Buffer.from(bytes))}::bytea[])
      as given(id, model, version, bytes)
      cross join lateral (
        select from memories where tenant_id = ${tenantId} and id = given.id and version = given.version
        limit 1 for key share skip locked
      ) current
    order by given.id, given.model
    on conflict (tenant_id, memory_id, model) do update set version = excluded.version, bytes = excluded.bytes
    where t.version is distinct from excluded.version or t.bytes is distinct from excluded.bytes`.execute(db)
}

/** Removes the analysed texts of memories that were deleted; a restored one is indexed, and so analysed, again. */
export async function removeAnalysedTexts({ tenantId, db }: Writer, memoryIds: readonly string[]): Promise<void> {
  if (memoryIds.length === 0) return
  await sql`
    delete from analysed_texts t using (
      select memory_id, model from analysed_texts a
      where a.tenant_id = ${tenantId} and a.memory_id = any(${memoryIds as string[]}::uuid[])
        and exists (select from memories m where m.tenant_id = a.tenant_id and m.id = a.memory_id and m.status = 'deleted')
      order by memory_id, model for update
    ) gone
    where t.tenant_id = ${tenantId} and t.memory_id = gone.memory_id and t.model = gone.model`.execute(db)
}
