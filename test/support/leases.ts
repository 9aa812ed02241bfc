import { withConnection } from '../../store/connection.js'

/**
 * Expires every lease of the database, as if a minute had passed: what dead processes had claimed can be claimed again.
 * So can the claims of living ones, whose work is then done twice, as every job may be. The minute is that of a claim
 * in the dirty set (workers/context.ts); a build's lease is shorter.
 */
export async function expireLeases(databaseUrl: string): Promise<void> {
  await withConnection(databaseUrl, async (client) => {
    // Uses the order of every other statement that locks many rows, to avoid deadlocks.
    await client.query(`
      with held as materialized (
        select tenant_id, kind, entity_id from index_pending where lease is not null
        order by tenant_id, kind, entity_id for update
      )
      update index_pending p set lease = lease - interval '1 minute', due_at = due_at - interval '1 minute'
      from held h where p.tenant_id = h.tenant_id and p.kind = h.kind and p.entity_id = h.entity_id`)
    await client.query(`update index_builds set lease = lease - interval '1 minute' where lease is not null`)
  })
}
