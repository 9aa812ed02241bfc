import { sql } from 'kysely'
import type { Reader, Writer } from '../store.js'
import { type ErasureSelector, matchesSelector } from './erasures.js'

/**
 * Marks the remaining memories whose status is derived from a memory that will be erased: nothing else will tell any
 * more why they are outdated or conflicted. Idempotent. Records the erasure's id; the row's version stays.
 */
export async function markDerived(writer: Writer, selector: ErasureSelector, erasureId: string): Promise<void> {
  const mark = JSON.stringify({ derived_from_erased: { erasure_id: erasureId, fields: ['status'] } })
  await sql`
    with going as materialized (
      select m.id from memories m where ${matchesSelector(writer, selector)}
    ), derived as materialized (
      select o.id from memories o
      where o.tenant_id = ${writer.tenantId} and o.status in ('outdated', 'conflicted')
        and o.id in (select s.old_id from supersessions s join going g on g.id = s.new_id where s.tenant_id = ${writer.tenantId})
        and not exists (select from going g where g.id = o.id)
      order by o.id for update
    )
    update memories m set system_metadata = m.system_metadata || ${mark}::jsonb from derived d
    where m.tenant_id = ${writer.tenantId} and m.id = d.id`.execute(writer.db)
}

/** Returns the number of memories that an erasure has marked. Scans all of the tenant's memories. */
export async function countDerived(reader: Reader, erasureId: string): Promise<number> {
  const { count } = await reader.db
    .selectFrom('memories')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', reader.tenantId)
    .where(sql<boolean>`system_metadata -> 'derived_from_erased' ->> 'erasure_id' = ${erasureId}`)
    .executeTakeFirstOrThrow()
  return count
}
