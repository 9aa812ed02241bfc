import {
  archiveDue,
  type DueBatch,
  type DueCondition,
  findTenantsWith,
  isIdleFor,
  isOverdue,
  isPastRetention,
  outdateDue,
  purgeDue,
} from '../store/memories/lifecycle.js'
import { purgeVersions } from '../store/memories/memory-versions.js'
import { dropRecallsBefore } from '../store/recalls.js'
import type { Writer } from '../store/store.js'
import { readDistinctValues } from '../store/tenants/settings.js'
import type { JobContext } from './context.js'
import { describeFailure, isOutage } from './failures.js'

const RECALLS_KEPT_MS = 30 * 86_400_000

/** Marks memories as outdated that have expired, or whose validity has ended. Recall leaves expired ones out at once. */
export async function outdateMemories(context: JobContext, signal: AbortSignal): Promise<void> {
  const due = isOverdue(new Date(context.clock.now()))
  await drainTenants(context, signal, { job: 'outdateMemories', due, work: outdateDue })
}

/** Archives live memories of little weight that nobody has recalled for long, unless their tenant has switched that off. */
export async function archiveMemories(context: JobContext, signal: AbortSignal): Promise<void> {
  const { store, clock } = context
  const settings = await store.asSystem((system) => readDistinctValues(system, 'memory', 'archive_after_days'))
  for (const days of settings.filter((days) => days > 0)) {
    const due = isIdleFor(days, new Date(clock.now()))
    await drainTenants(context, signal, { job: 'archiveMemories', due, work: archiveDue })
  }
}

/** Removes deleted memories for good once their tenant's retention is over, and what memories were before changes that long ago. */
export async function purgeMemories(context: JobContext, signal: AbortSignal): Promise<void> {
  const { store, clock, logger } = context
  const now = new Date(clock.now())
  await drainTenants(context, signal, { job: 'purgeMemories', due: isPastRetention(now), work: purgeDue })
  const end = clock.now() + BUDGET_MS
  let versions = 0
  for (
    let purged = PURGED_VERSIONS;
    purged === PURGED_VERSIONS && !signal.aborted && clock.now() < end;
    versions += purged
  )
    purged = await store.asSystem((system) => purgeVersions(system, now, PURGED_VERSIONS))
  if (versions > 0) logger.info({ versions }, 'removed former versions of memories')
}

/** Drops the partitions of days whose recalls are past their retention. */
export async function dropRecalls({ store, clock, logger }: JobContext): Promise<void> {
  const before = new Date(clock.now() - RECALLS_KEPT_MS)
  const dropped = await store.asSystem((system) => dropRecallsBefore(system, before))
  if (dropped > 0) logger.info({ days: dropped }, 'dropped old recalls')
}

/** Work that is due for tenants. */
interface TenantWork {
  /** Name of the job, for the log. */
  readonly job: string
  readonly due: DueCondition
  /** Does one tenant's batch, in a transaction of its own, and returns how many rows it changed. */
  readonly work: (writer: Writer, due: DueCondition, batch: DueBatch) => Promise<number>
}

const BATCH_ROWS = 200
const PURGED_VERSIONS = 1_000
/** Time limit of one run; the next one continues where it ended, because finished rows are no longer due. */
const BUDGET_MS = 30_000

/**
 * Visits the tenants in turn, a batch each, until none has any rows left, the budget is spent or the process stops: a
 * tenant with a million rows delays the others by one batch. A tenant whose batch fails by its own fault is left out of
 * this run.
 */
async function drainTenants(context: JobContext, signal: AbortSignal, { job, due, work }: TenantWork): Promise<void> {
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
      logger.warn({ job, tenantId, failure: describeFailure(error) }, "a tenant's batch failed")
      return 0
    }
  }

  function report(hasMore: boolean): void {
    if (done > 0) logger.info({ job, memories: done, hasMore }, 'lifecycle')
  }
}
