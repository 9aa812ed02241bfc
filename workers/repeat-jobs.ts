import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../runtime/logger.js'
import type { JobContext } from './context.js'
import { describeFailure, isOutage } from './failures.js'
import { type Chore, choresOf, type Jobs, observeJob, type QueueName, scheduledJobs } from './job.js'
import { createJobQueue, type JobQueue, type RepeatedJob, startJobWorker } from './queue.js'

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
      const again = () => repeat(chore.everyMs, signal, () => attempt(name, chore))
      loops.push(first.then(() => pause(chore.everyMs, signal)).then(again))
      await Promise.race([first, pause(HEAD_START_MS, signal)])
    }
    await Promise.all(loops)
  }

  async function attempt(name: string, chore: Chore): Promise<void> {
    try {
      await observeJob(context, name, () => chore.run(context, signal))
      log.succeeded(name)
    } catch (error) {
      log.failed(name, error)
    }
  }

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

/** Has the queue repeat the scheduled jobs, and works on them, one at a time in this process. */
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
  const repeated = [...scheduled].map(([name, { everyMs }]) => ({ id: name, name, everyMs }))
  const keeping = keepRepeated(queue, stopping.signal, () => Promise.resolve(repeated))
  return {
    async stop(limitMs) {
      stopping.abort()
      await Promise.all([worker.stop(limitMs), keeping])
      await queue.stop()
    },
  }
}

/** Interval in which the queue is told again: one that lost everything has its schedulers again after this. */
const TELL_MS = 10_000

/** Has the queue repeat exactly the listed jobs, as listed anew each time, until the signal is aborted. */
export function keepRepeated(
  queue: JobQueue,
  signal: AbortSignal,
  list: () => Promise<readonly RepeatedJob[]>,
): Promise<void> {
  return repeat(TELL_MS, signal, async () => queue.repeatOnly(await list()))
}

/**
 * Works again and again until the signal is aborted, with a pause after each time. Logs no failure: the connections of what is
 * unavailable do.
 */
export async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined)
    await pause(everyMs, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined)
}
