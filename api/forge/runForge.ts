import { triggerRuns } from '../../services/forge/trigger-runs.js'
import type { Operation } from '../operation.js'

/** Only records the runs; the workers carry them out (workers/README.md). */
export const runForge: Operation<'runForge'> = async (context, _caller, { body }) => {
  const { published, failed, runs } = await triggerRuns(context, {
    tenantId: body.tenant_id,
    dryRun: body.dry_run ?? false,
  })
  const named = runs.map(({ tenantId, runId }) => ({ tenant_id: tenantId, run_id: runId }))
  return { status: 202, body: { action: 'forge-distill', published, failed, runs: named } }
}
