import { type DueCondition, type DueBatch, findTenantsWith } from '../store/memories/lifecycle.js'
import type { Writer } from '../store/store.js'
import { describeFailure, isOutage } from './isolate.js'
import type { JobContext, ScheduledJobName } from './jobs.js'

/** Work that is due for tenants. */
interface TenantWork {
  /** Name for the log. */
  readonly name: ScheduledJobName
  readonly due: DueCondition
  /** Does one tenant's batch, in a transaction of its own, and returns how many rows it changed. */
  readonly work: (writer: Writer, due: DueCondition, batch: DueBatch) => Promise<number>
}

const BATCH_ROWS = 200
/** Time limit of one run; the next one continues where it ended, because finished rows are no longer due. */
const BUDGET_MS = 30_000

/**
 * Visits the tenants in turn, a batch each, until none has any rows left, the budget is spent or the process stops: a
 * tenant with a million rows delays the others by one batch. A tenant whose batch fails by its own fault is left out of
 * this run.
 */
export async function drainTenants(
  context: JobContext,
  signal: AbortSignal,
  { name, due, work }: TenantWork,
): Promise<void> {
  const { store, clock, logger } = context
  const end = clock.now() + BUDGET_MS
  let left = await store.asSystem((system) => findTenantsWith(system, due))
  let done = 0
  while (left.length > 0) {
    const unfinished: string[] = []
    for (const tenantId of left) {
      if (signal.aborted || clock.now() >= end) return report(true)
      const count = await tryBatch(tenantId)
      done += count
      if (count === BATCH_ROWS) unfinished.push(tenantId)
    }
    left = unfinished
  }
  report(false)

  async function tryBatch(tenantId: string): Promise<number> {
    try {
      const batch = { at: new Date(clock.now()), limit: BATCH_ROWS }
      return await store.transact({ tenantId }, (writer) => work(writer, due, batch))
    } catch (error) {
      if (isOutage(error)) throw error
      logger.warn({ job: name, tenantId, failure: describeFailure(error) }, "a tenant's batch failed")
      return 0
    }
  }

  function report(hasMore: boolean): void {
    if (done > 0) logger.info({ job: name, memories: done, hasMore }, 'lifecycle')
  }
}
