import { setTimeout as sleep } from 'node:timers/promises'
import {
  createPostgresBackend,
  Queue,
  Worker,
  type BackendFactory,
  type IQueueBackend,
  type Job,
  type JobType,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
} from 'bullmq'
import type { Logger } from '../runtime/logger.js'
import { UnavailableError } from '../runtime/errors.js'
import type { JOB_STATES } from '../runtime/operator-metrics.js'
import type { Fault } from '../runtime/outage-reasons.js'
import { withTimeout } from '../runtime/clock.js'
import type { QueueSettings } from './context.js'
import { describeFailure } from './failures.js'
import { reasonOf, redisFault } from './queue-faults.js'
import { postgresConnection } from './queue-postgres.js'
import type { BatchPayload, QueueName, TriggeredPayload } from './job.js'

/** A job in the queue. */
export interface QueuedJob<Payload = BatchPayload> {
  readonly name: string
  readonly id: string
  readonly payload: Payload
}

/** A job that the queue repeats, under an id of its own. */
export interface RepeatedJob {
  readonly id: string
  readonly name: string
  readonly everyMs: number
  readonly payload?: TriggeredPayload
}

export interface JobQueue {
  /** Adds each job once by its id. Throws `UnavailableError('queue')`; some may have been added then. */
  add(jobs: readonly QueuedJob<BatchPayload | TriggeredPayload>[]): Promise<void>
  /**
   * Makes exactly these jobs repeated, beginning now; those that are repeated like this already stay as they are. What an earlier release
   * repeated ends with it.
   */
  repeatOnly(jobs: readonly RepeatedJob[]): Promise<void>
  /** Returns those jobs that are neither waiting nor active: done, failed, or lost with the queue. */
  missing(ids: readonly string[]): Promise<string[]>
  /**
   * Removes these ids from the payloads of jobs: those that wait, and those that are active, or were when their process
   * died.
   */
  forget(ids: readonly string[]): Promise<void>
  /** Returns how many jobs carry one of these ids. */
  mentioning(ids: readonly string[]): Promise<number>
  /** Returns how many jobs wait, are at work, and wait for their time. One that has failed is removed. */
  counts(): Promise<Readonly<Record<(typeof JOB_STATES)[number], number>>>
  /** Returns null when the queue answers and takes jobs, else the fault. Never throws. */
  health(): Promise<Fault | null>
  stop(): Promise<void>
}

/** Time after which a queue that does not answer counts as unavailable. */
const TIMEOUT_MS = 3_000

/** Connects with the first use, and again after a failure; nothing here ends the process or waits for long. */
export function createJobQueue(name: QueueName, settings: QueueSettings, logger: Logger): JobQueue {
  let connected: Promise<Queue> | undefined
  let isStopped = false

  async function connect(): Promise<Queue> {
    if (isStopped) throw new Error('the queue has been stopped')
    const queue = openQueue(name, settings)
    queue.on(
      'error',
      createErrorLogger(logger, name, () => isStopped),
    )
    try {
      await withTimeout(TIMEOUT_MS, queue.waitUntilReady())
      return queue
    } catch (error) {
      // The PostgreSQL backend remembers a failed start for ever, so the next use takes a new one.
      connected = undefined
      void closeQueue(queue, false)
      throw error
    }
  }

  async function use<T>(work: (queue: Queue) => Promise<T>): Promise<T> {
    try {
      const queue = await (connected ??= connect())
      return await withTimeout(TIMEOUT_MS, work(queue))
    } catch (error) {
      const failure = new UnavailableError('queue', error, reasonOf(error))
      settings.onOutage?.(failure.reason)
      throw failure
    }
  }

  return {
    async add(jobs) {
      // Retries come from index_pending: a job is attempted once.
      const options = { attempts: 1, ...REMOVE_WHEN_DONE }
      await use((queue) =>
        queue.addBulk(jobs.map(({ name, id, payload }) => ({ name, data: payload, opts: { ...options, jobId: id } }))),
      )
    },
    repeatOnly: (jobs) =>
      use(async (queue) => {
        const known = new Map((await queue.getJobSchedulers(0, -1)).map((scheduler) => [scheduler.key, scheduler]))
        for (const { id, name, everyMs, payload } of jobs) {
          const scheduler = known.get(id)
          known.delete(id)
          // A scheduler whose next run is long past has lost its next job.
          if (scheduler?.every === everyMs && (scheduler.next ?? 0) + everyMs > Date.now()) continue
          await queue.upsertJobScheduler(id, { every: everyMs }, { name, data: payload, opts: REMOVE_WHEN_DONE })
        }
        for (const id of known.keys()) await queue.removeJobScheduler(id)
      }),
    missing: (ids) =>
      use(async (queue) => {
        const found = await Promise.all(ids.map((id) => queue.getJob(id)))
        return ids.filter((_, i) => found[i] === undefined)
      }),
    forget: (ids) =>
      use(async (queue) => {
        // An active job has its ids already, and finds no rows of these; whoever takes it over from a dead process gets
        // the others. A job that has ended meanwhile is gone.
        for (const job of await findJobsWith(queue, [...WAITING_STATES, 'active'], ids))
          await job
            .updateData({ ...job.data, ids: job.data.ids.filter((id) => !ids.includes(id)) })
            .catch(() => undefined)
      }),
    mentioning: (ids) => use(async (queue) => (await findJobsWith(queue, undefined, ids)).length),
    counts: () =>
      use(async (queue) => {
        const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed')
        const of = (state: string) => counts[state] ?? 0
        return {
          waiting: of('wait') + of('prioritized'),
          active: of('active'),
          delayed: of('delayed'),
        }
      }),
    health: () =>
      use((queue) => (settings.redisUrl === null ? queue.count().then(() => null) : redisFault(queue))).catch(
        ({ reason, cause }: UnavailableError) => ({ reason, detail: `queue: ${describeFailure(cause)}` }),
      ),
    async stop() {
      isStopped = true
      const queue = await connected?.catch(() => undefined)
      if (!queue) return
      const isHealthy = await withTimeout(TIMEOUT_MS, queue.count()).then(
        () => true,
        () => false,
      )
      await closeQueue(queue, isHealthy)
    },
  }
}

const REMOVE_WHEN_DONE = { removeOnComplete: true, removeOnFail: true }

const WAITING_STATES: JobType[] = ['wait', 'prioritized', 'delayed']

async function findJobsWith(
  queue: Queue,
  types: JobType[] | undefined,
  ids: readonly string[],
): Promise<Job<BatchPayload>[]> {
  const wanted = new Set(ids)
  const jobs = (await queue.getJobs(types)) as (Job<BatchPayload> | undefined)[]
  return jobs.filter((job) => job !== undefined).filter((job) => job.data.ids?.some((id) => wanted.has(id)))
}

type JobHandler = (name: string, payload: unknown, id: string) => Promise<unknown>

export interface JobWorker {
  /** Takes no more jobs, waits up to `limitMs` for active ones, and closes the connections. */
  stop(limitMs: number): Promise<void>
}

/** Works on the queue's jobs, `concurrency` at a time, as soon as the queue answers. */
export function startJobWorker(
  name: QueueName,
  settings: QueueSettings,
  handler: JobHandler,
  { concurrency, logger, queue }: { concurrency: number; logger: Logger; queue: JobQueue },
): JobWorker {
  const stopping = new AbortController()
  let active = 0

  async function work(job: { name: string; data: unknown; id?: string }): Promise<void> {
    active++
    try {
      await handler(job.name, job.data, job.id!)
    } finally {
      active--
    }
  }

  async function run(): Promise<Worker | undefined> {
    while (!stopping.signal.aborted) {
      const worker = openWorker(name, settings, work, concurrency)
      const logError = createErrorLogger(logger, name, () => stopping.signal.aborted)
      worker.on('error', logError)
      try {
        await withTimeout(10_000, worker.waitUntilReady())
        worker.run().catch(logError)
        return worker
      } catch {
        void worker.close(true).catch(() => undefined)
        await sleep(1_000, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
    return undefined
  }

  const running = run()
  return {
    async stop(limitMs) {
      stopping.abort()
      const worker = await running
      if (!worker) return
      await worker.pause(true)
      for (const end = Date.now() + limitMs; active > 0 && Date.now() < end;) await sleep(10)
      // Closing waits for the queue's own answers, of which there are none while it is unavailable.
      const isHealthy = active === 0 && (await queue.health()) === null
      await withTimeout(TIMEOUT_MS, worker.close(!isHealthy)).catch(() => worker.getBackend().close(true))
    },
  }
}

function openQueue(name: QueueName, settings: QueueSettings): Queue {
  const { redisUrl, prefix } = settings
  if (redisUrl === null) {
    const connection = postgresConnection(settings, 2, TIMEOUT_MS)
    return new Queue(name, { connection }, createPostgresBackend) as unknown as Queue
  }
  // Commands fail at once while Redis is unavailable, instead of waiting in memory for it.
  return new Queue(name, { prefix, connection: { url: redisUrl, enableOfflineQueue: false, retryStrategy } })
}

function openWorker(
  name: QueueName,
  settings: QueueSettings,
  work: (job: { name: string; data: unknown; id?: string }) => Promise<void>,
  concurrency: number,
): Worker {
  const { redisUrl, prefix } = settings
  const options = { concurrency, autorun: false, runRetryDelay: 1_000, drainDelay: 5, maxStalledCount: 5 }
  if (redisUrl === null) {
    const connection = postgresConnection(settings, Math.min(concurrency + 1, 5), TIMEOUT_MS)
    return new Worker(name, work, { ...options, connection }, throttledPostgresBackend) as unknown as Worker
  }
  const connection = { url: redisUrl, maxRetriesPerRequest: null, retryStrategy }
  return new Worker(name, work, { ...options, prefix, connection })
}

function retryStrategy(times: number): number {
  return Math.min(times * 100, 1_000)
}

/**
 * Waits after an error: BullMQ asks again at once after any error but a refused connection (a PostgreSQL that starts up
 * gives many).
 */
const throttledPostgresBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (...args) => {
  const backend = createPostgresBackend(...args)
  const moveToActive: IQueueBackend['moveToActive'] = backend.moveToActive.bind(backend)
  backend.moveToActive = async (...job: Parameters<typeof moveToActive>) => {
    try {
      return await moveToActive(...job)
    } catch (error) {
      await sleep(500)
      throw error
    }
  }
  return backend
}

/**
 * Logs errors of an unreachable queue, which come with every attempt to reach it, at most once in ten seconds. An error
 * of a connection that is being closed is none: a PostgreSQL that stops with this process ends those that are left.
 */
function createErrorLogger(logger: Logger, queue: QueueName, isStopping: () => boolean): (error: unknown) => void {
  let quietUntil = 0
  return (error) => {
    if (isStopping() || Date.now() < quietUntil) return
    quietUntil = Date.now() + 10_000
    logger.warn({ queue, failure: describeFailure(error) }, 'queue connection failed')
  }
}

/** Closes a queue. An orderly close waits for an answer, so it is only for a queue that answers. */
async function closeQueue(queue: Queue, isHealthy: boolean): Promise<void> {
  await withTimeout(TIMEOUT_MS, isHealthy ? queue.close() : queue.getBackend().close(true)).catch(() => undefined)
}
