import { setTimeout as sleep } from 'node:timers/promises'
import { describeFailure } from './isolate.js'
import { observeJob } from './observe-job.js'
import { type JobContext, SCHEDULED_JOB_NAMES, type ScheduledJobName, type ScheduledJobs } from './jobs.js'
import { createJobQueue, type JobQueue, startJobWorker } from './queue.js'

export interface RunningSchedule {
  /** Lets a job under way end its batch. */
  stop(limitMs: number): Promise<void>
}

/** How often the schedule is looked after: a queue that lost everything has it again after this. */
const RENEWAL_MS = 30_000

/** Has the queue hand out the lifecycle's jobs by their schedule, and works on them, one at a time in this process. */
export function startSchedule(context: JobContext, jobs: ScheduledJobs): RunningSchedule {
  const { logger } = context
  const stopping = new AbortController()
  const queue = createJobQueue('lifecycle', context.queue, logger)

  async function handle(name: string): Promise<void> {
    const job = SCHEDULED_JOB_NAMES.find((known) => known === name)
    if (!job) throw new Error('no such job')
    try {
      await observeJob(context, job, () => jobs[job].run(context, stopping.signal))
    } catch (error) {
      logger.warn({ job, failure: describeFailure(error) }, 'scheduled job failed; it comes again')
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
    // An away queue is told of by its connection.
    for (const [name, { everyMs }] of Object.entries(jobs) as [ScheduledJobName, { everyMs: number }][])
      await queue.schedule(name, everyMs).catch(() => undefined)
    await sleep(RENEWAL_MS, undefined, { signal }).catch(() => undefined)
  }
}
