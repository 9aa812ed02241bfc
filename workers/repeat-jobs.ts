import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobContext } from './context.js'
import { describeFailure, isOutage } from './failures.js'
import { type Chore, choresOf, type Jobs, observeJob, type QueueName, scheduledJobs, type ScheduledJob } from './job.js'
import { createJobQueue, type JobQueue, startJobWorker } from './queue.js'

export interface RunningChores {
  /** Resolves when no chore is running any more. */
  stop(): Promise<void>
}

/** Starts each chore of these queues at once, and again every interval after it has ended. */
export function startChores(context: JobContext, jobs: Jobs, queues: readonly QueueName[]): RunningChores {
  const stopping = new AbortController()
  // Each loop listens to it while it sleeps.
  setMaxListeners(0, stopping.signal)
  const loops = choresOf(jobs, queues).map(([name, chore]) => repeat(context, name, chore, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function repeat(context: JobContext, name: string, chore: Chore, signal: AbortSignal): Promise<void> {
  let isFailing = false
  while (!signal.aborted) {
    try {
      await observeJob(context, name, () => chore.run(context, signal))
      isFailing = false
    } catch (error) {
      // An outage is logged once, not every second.
      if (!isFailing || !isOutage(error))
        context.logger.warn({ chore: name, failure: describeFailure(error) }, 'chore failed')
      isFailing = true
    }
    await sleep(chore.everyMs, undefined, { signal }).catch(() => undefined)
  }
}

export interface RunningSchedule {
  /** Lets an active job end its batch, for up to `limitMs`. */
  stop(limitMs: number): Promise<void>
}

/** Interval in which the schedule is renewed: a queue that lost everything has it again after this. */
const RENEWAL_MS = 30_000

/** Schedules the scheduled jobs in the queue, and works on them, one at a time in this process. */
export function startSchedule(context: JobContext, jobs: Jobs): RunningSchedule {
  const { logger } = context
  const scheduled = new Map(scheduledJobs(jobs))
  const stopping = new AbortController()
  const queue = createJobQueue('lifecycle', context.queue, logger)

  async function handle(job: string): Promise<void> {
    const known = scheduled.get(job)
    if (!known) throw new Error('unknown job')
    try {
      await observeJob(context, job, () => known.run(context, stopping.signal))
    } catch (error) {
      logger.warn({ job, failure: describeFailure(error) }, 'scheduled job failed; it will run again')
      throw error
    }
  }

  const worker = startJobWorker('lifecycle', context.queue, handle, { concurrency: 1, logger, queue })
  const renewing = renew(queue, scheduled, stopping.signal)
  return {
    async stop(limitMs) {
      stopping.abort()
      await Promise.all([worker.stop(limitMs), renewing])
      await queue.stop()
    },
  }
}

async function renew(queue: JobQueue, jobs: ReadonlyMap<string, ScheduledJob>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The connection of an unavailable queue logs the failure itself.
    for (const [name, { everyMs }] of jobs) await queue.schedule(name, everyMs).catch(() => undefined)
    await sleep(RENEWAL_MS, undefined, { signal }).catch(() => undefined)
  }
}
