import { v7 as uuidv7 } from 'uuid'
import { insertScheduledRun } from '../../store/forge/runs.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { JobContext } from '../context.js'
import type { TriggeredPayload } from '../job.js'

/**
 * Stores the run of a tenant's slot, which waits for its turn, unless the slot has its run, or a scheduled run of the tenant waits to
 * begin. The job's id has the scheduler and the slot, so that a slot has one job. If the job runs twice, it stores nothing the second
 * time, except where another run waited the first time and has begun since: it stores the slot's run late.
 */
export async function storeScheduledRun(
  { store, clock }: JobContext,
  { tenantId }: TriggeredPayload,
  id: string,
): Promise<void> {
  const slot = new Date(Number(id.slice(id.lastIndexOf(':') + 1)))
  const at = new Date(clock.now())
  await store.transact({ tenantId }, async (writer) => {
    const { skills_factory: settings } = await readSettings(writer)
    // The scheduler of a tenant that has just opted out is removed within seconds.
    if (settings.enabled) await insertScheduledRun(writer, { runId: uuidv7(), at, slot })
  })
}
