import { setTimeout as sleep } from 'node:timers/promises'
import { listOptedIn } from '../../store/forge/opted-in.js'
import { findDueRuns } from '../../store/forge/runs.js'
import type { JobContext } from '../context.js'
import { describeFailure } from '../failures.js'
import { type Jobs, observeJob, triggeredJobs, type TriggeredPayload } from '../job.js'
import { createJobQueue, type JobQueue, startJobWorker } from '../queue.js'

export interface RunningForge {
  /** Lets an active run be released, for up to `limitMs`. */
  stop(limitMs: number): Promise<void>
}

/** Interval in which runs that wait in PostgreSQL, or whose worker died, are added to the queue again. */
const PUBLISH_MS = 5_000
/** Interval in which the schedulers follow the tenants' settings. */
const SCHEDULE_MS = 10_000
const MOST_PUBLISHED = 500
const HOUR_MS = 3600_000

/**
 * Works on the runs of the Forge, one at a time in this process. The queue only says when: runs stand in PostgreSQL, and
 * what a queue has lost, or a dead process has left, is added again.
 */
export function startForge(context: JobContext, jobs: Jobs): RunningForge {
  const { logger, store } = context
  const known = new Map(triggeredJobs(jobs))
  const stopping = new AbortController()
  const queue = createJobQueue('forge', context.queue, logger)

  async function handle(name: string, payload: unknown, id: string): Promise<void> {
    const job = known.get(name)
    if (!job) throw new Error('unknown job')
    try {
      await observeJob(context, name, () => job.run(context, payload as TriggeredPayload, id))
    } catch (error) {
      logger.warn({ job: name, id, failure: describeFailure(error) }, 'a run of the Forge was interrupted')
      throw error
    }
  }

  const worker = startJobWorker('forge', context.queue, handle, { concurrency: 1, logger, queue })
  const loops = [
    repeat(PUBLISH_MS, stopping.signal, async () => {
      const due = await store.asSystem((system) => findDueRuns(system, MOST_PUBLISHED))
      await publishRuns(queue, due)
    }),
    repeat(SCHEDULE_MS, stopping.signal, async () => {
      const tenants = await store.asSystem(listOptedIn)
      await queue.repeatOnly(
        tenants.map(({ tenantId, everyHours }) => ({
          id: schedulerId(tenantId),
          name: 'tickForge',
          everyMs: everyHours * HOUR_MS,
          payload: { tenantId },
        })),
      )
    }),
  ]
  return {
    async stop(limitMs) {
      stopping.abort()
      await Promise.all([worker.stop(limitMs), ...loops])
      await queue.stop()
    },
  }
}

/**
 * Adds runs to the queue; one that waits there already stays as it is. The job of a run that was begun has an id of its
 * own, since that of the dead worker stays in the queue until BullMQ finds it stalled.
 */
export async function publishRuns(
  queue: Pick<JobQueue, 'add'>,
  runs: readonly { readonly tenantId: string; readonly runId: string; readonly attempts?: number }[],
): Promise<void> {
  if (runs.length === 0) return
  await queue.add(
    runs.map(({ tenantId, runId, attempts = 0 }) => ({
      name: 'runForge',
      id: attempts === 0 ? runId : `${runId}-${attempts}`,
      payload: { tenantId, runId },
    })),
  )
}

/** Returns the id of a tenant's scheduler; a colon would be read as part of the queue's own key. */
function schedulerId(tenantId: string): string {
  return `forge-${encodeURIComponent(tenantId)}`
}

/** Works again and again; the connections of what is unavailable log the failure themselves. */
async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined)
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}
