import { v7 as uuidv7 } from 'uuid'
import { insertScheduledRun } from '../../store/forge/runs.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { JobContext } from '../context.js'
import type { TriggeredPayload } from '../job.js'
import { runForge } from './run-forge.js'

/** Carries out a run that is stored already: the id of the job is that of the run. */
export async function runTriggered(context: JobContext, { tenantId, runId }: TriggeredPayload): Promise<void> {
  if (runId !== undefined) await runForge(context, { tenantId, runId })
}

/**
 * Begins the run of a tenant's slot and carries it out. The job's id has the scheduler and the slot, so that a slot has one
 * job, and the slot has one row: a job that runs twice finds the run of the first.
 */
export async function runScheduled(context: JobContext, { tenantId }: TriggeredPayload, id: string): Promise<void> {
  const slot = new Date(Number(id.slice(id.lastIndexOf(':') + 1)))
  const at = new Date(context.clock.now())
  const runId = await context.store.transact({ tenantId }, async (writer) => {
    const { skills_factory: settings } = await readSettings(writer)
    // The scheduler of a tenant that has just opted out is removed within seconds.
    return settings.enabled ? insertScheduledRun(writer, { runId: uuidv7(), at, slot }) : null
  })
  if (runId !== null) await runForge(context, { tenantId, runId })
}
