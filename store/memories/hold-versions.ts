import { sql } from 'kysely'
import type { Writer } from '../store.js'

/** A memory as of one version of it. */
export interface MemoryVersion {
  readonly memoryId: string
  readonly version: number
}

/**
 * Which of the memories are live and still at these versions. They are locked against changes until the transaction ends, in
 * the order of their ids: what is written of them then is not of a text that has changed meanwhile.
 */
export async function holdVersions({ tenantId, db }: Writer, versions: readonly MemoryVersion[]): Promise<Set<string>> {
  const given = versions.map(({ memoryId, version }) => ({ id: memoryId, version }))
  const { rows } = await sql<{ id: string }>`
    select m.id from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id uuid, version int)
      join memories m on m.tenant_id = ${tenantId} and m.id = given.id and m.version = given.version
    where m.status <> 'deleted' order by m.id for no key update of m`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
