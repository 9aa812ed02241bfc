import { v7 as uuidv7 } from 'uuid'
import { UnavailableError } from '../../runtime/errors.js'
import { listOptedIn } from '../../store/tenants/opted-in.js'
import { insertManualRuns } from '../../store/forge/runs.js'
import type { OperatingContext } from '../operating-context.js'

interface TriggeredRuns {
  /** Runs that the queue took; the others wait in PostgreSQL, where the workers find them. */
  readonly published: number
  readonly failed: number
  readonly runs: readonly { readonly tenantId: string; readonly runId: string }[]
}

/** Stores a run for each tenant that opted in, or for the one that is named if it has, and tells the workers. */
export async function triggerRuns(
  { store, clock, publishForgeRuns }: OperatingContext,
  { tenantId, dryRun }: { readonly tenantId: string | undefined; readonly dryRun: boolean },
): Promise<TriggeredRuns> {
  const at = new Date(clock.now())
  const runs = await store.asSystem(async (system) => {
    const tenants = await listOptedIn(system, tenantId)
    const wanted = tenants.map((tenant) => ({ tenantId: tenant.tenantId, runId: uuidv7() }))
    await insertManualRuns(system, wanted, { dryRun, at })
    return wanted
  })
  try {
    await publishForgeRuns(runs)
    return { published: runs.length, failed: 0, runs }
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    return { published: 0, failed: runs.length, runs }
  }
}
