import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../runtime/logger.js'
import type { JobContext } from './context.js'
import { describeFailure, isOutage } from './failures.js'
import { type Chore, choresOf, type Jobs, observeJob, type QueueName, scheduledJobs, type ScheduledJob } from './job.js'
import { createJobQueue, type JobQueue, startJobWorker } from './queue.js'

export interface RunningChores {
  /** Resolves when no chore is running any more. */
  stop(): Promise<void>
}

/** Most milliseconds that a chore waits for the first run of the one before it, which may fill an index for hours. */
const HEAD_START_MS = 1_000

/**
 * Starts the chores of these queues one after the other, since all of them at once would want more connections than the
 * process has; each runs again every interval after it has ended.
 */
export function startChores(context: JobContext, jobs: Jobs, queues: readonly QueueName[]): RunningChores {
  const stopping = new AbortController()
  const { signal } = stopping
  // Each loop listens to it while it sleeps.
  setMaxListeners(0, signal)
  const log = createFailureLog(context.logger)

  async function beginAll(): Promise<void> {
    const loops: Promise<void>[] = []
    for (const [name, chore] of choresOf(jobs, queues)) {
      if (signal.aborted) break
      const first = attempt(name, chore)
      loops.push(first.then(() => repeat(name, chore)))
      await Promise.race([first, pause(HEAD_START_MS)])
    }
    await Promise.all(loops)
  }

  async function repeat(name: string, chore: Chore): Promise<void> {
    await pause(chore.everyMs)
    while (!signal.aborted) {
      await attempt(name, chore)
      await pause(chore.everyMs)
    }
  }

  async function attempt(name: string, chore: Chore): Promise<void> {
    try {
      await observeJob(context, name, () => chore.run(context, signal))
      log.succeeded(name)
    } catch (error) {
      log.failed(name, error)
    }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)
  const running = beginAll()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

interface FailureLog {
  succeeded(chore: string): void
  failed(chore: string, error: unknown): void
}

/**
 * Logs what the chores of a process fail at. An outage is one line, however many chores wait for its end and however
 * often they try; any other failure is a line each time.
 */
function createFailureLog(logger: Logger): FailureLog {
  const waiting = new Map<string, string>()
  return {
    succeeded(chore) {
      if (waiting.delete(chore) && waiting.size === 0) logger.info('chores go on')
    },
    failed(chore, error) {
      const failure = describeFailure(error)
      if (!isOutage(error)) {
        waiting.delete(chore)
        logger.warn({ chore, failure }, 'chore failed')
        return
      }
      if (![...waiting.values()].includes(failure)) logger.warn({ failure }, 'chores wait')
      waiting.set(chore, failure)
    },
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
