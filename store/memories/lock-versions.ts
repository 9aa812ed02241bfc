import { sql } from 'kysely'
import type { Writer } from '../store.js'

/** A memory at one version. */
export interface MemoryVersion {
  readonly memoryId: string
  readonly version: number
}

/**
 * Locks those of the memories that are still at these versions against changes until the transaction ends, in the order of their ids, and
 * returns their ids: what is written of them then is not of a text that has changed, or of a memory that was deleted, meanwhile.
 */
export async function lockVersions({ tenantId, db }: Writer, versions: readonly MemoryVersion[]): Promise<Set<string>> {
  const given = versions.map(({ memoryId, version }) => ({ id: memoryId, version }))
  const { rows } = await sql<{ id: string }>`
    select m.id from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, version int)
      join memories m on m.tenant_id = ${tenantId} and m.id = given.id and m.version = given.version
    order by m.id for no key update of m`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
