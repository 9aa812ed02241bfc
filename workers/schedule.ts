import { setTimeout as sleep } from 'node:timers/promises'
import { describeFailure } from './isolate.js'
import { observeJob } from './observe-job.js'
import { type JobContext, SCHEDULED_JOB_NAMES, type ScheduledJobName, type ScheduledJobs } from './jobs.js'
import { createJobQueue, type JobQueue, startJobWorker } from './queue.js'

export interface RunningSchedule {
  /** Lets an active job end its batch. */
  stop(limitMs: number): Promise<void>
}

/** Interval in which the schedule is renewed: a queue that lost everything has it again after this. */
const RENEWAL_MS = 30_000

/** Schedules the lifecycle's jobs in the queue, and works on them, one at a time in this process. */
export function startSchedule(context: JobContext, jobs: ScheduledJobs): RunningSchedule {
  const { logger } = context
  const stopping = new AbortController()
  const queue = createJobQueue('lifecycle', context.queue, logger)

  async function handle(name: string): Promise<void> {
    const job = SCHEDULED_JOB_NAMES.find((known) => known === name)
    if (!job) throw new Error('unknown job')
    try {
      await observeJob(context, job, () => jobs[job].run(context, stopping.signal))
    } catch (error) {
      logger.warn({ job, failure: describeFailure(error) }, 'scheduled job failed; it will run again')
      throw error
    }
  }

  const worker = startJobWorker('lifecycle', context.queue, handle, { concurrency: 1, logger, queue })
  const renewing = renew(queue, jobs, stopping.signal)
  return {
    async stop(limitMs) {
      stopping.abort()
      await Promise.all([worker.stop(limitMs), renewing])
      await queue.stop()
    },
  }
}

async function renew(queue: JobQueue, jobs: ScheduledJobs, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The connection of an unavailable queue logs the failure itself.
    for (const [name, { everyMs }] of Object.entries(jobs) as [ScheduledJobName, { everyMs: number }][])
      await queue.schedule(name, everyMs).catch(() => undefined)
    await sleep(RENEWAL_MS, undefined, { signal }).catch(() => undefined)
  }
}
