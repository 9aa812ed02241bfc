import type { Embedder } from '../models/embedder.js'
import { UnavailableError } from '../runtime/errors.js'
import { startChores, type RunningChores } from './chores.js'
import { indexingOptions, type WorkerContext } from './context.js'
import { CHORES, JOB_HANDLERS, SCHEDULED_JOBS } from './handlers.js'
import { describeFailure } from './isolate.js'
import {
  assertComplete,
  JOB_QUEUES,
  type BatchPayload,
  type Chores,
  type JobContext,
  type JobHandlers,
  type JobName,
  type QueueName,
  type ScheduledJobs,
} from './jobs.js'
import { Outage } from './outage.js'
import { createJobQueue, startJobWorker, type JobQueue, type JobWorker } from './queue.js'
import { Relay } from './relay.js'
import { startSchedule, type RunningSchedule } from './schedule.js'

export interface WorkersOptions {
  readonly queues: readonly QueueName[]
  readonly handlers?: JobHandlers
  readonly chores?: Chores
  readonly scheduled?: ScheduledJobs
}

export interface Workers {
  /** Returns at once: what is away is waited for in the background. */
  start(): void
  /** Lets work under way end, for up to `limitMs`; the leases of what does not end run out. */
  stop(limitMs?: number): Promise<void>
}

/**
 * The part of a process that works: for `indexing` a relay and a worker, for `lifecycle` a worker on what the queue hands out by
 * its schedule, and the chores of each queue.
 */
export function createWorkers(context: WorkerContext, options: WorkersOptions): Workers {
  const { queues, handlers = JOB_HANDLERS, chores = CHORES, scheduled = SCHEDULED_JOBS } = options
  assertComplete(handlers, chores, scheduled)
  const jobs = jobContext(context)
  let parts: { queue: JobQueue; worker: JobWorker; relay: Relay } | undefined
  let running: RunningChores | undefined
  let lifecycle: RunningSchedule | undefined

  return {
    start() {
      if (running) return
      running = startChores(jobs, chores, queues)
      if (queues.includes('indexing')) parts = startIndexing(jobs, handlers)
      if (queues.includes('lifecycle')) lifecycle = startSchedule(jobs, scheduled)
    },
    async stop(limitMs = 15_000) {
      await Promise.all([running?.stop(), parts?.relay.stop(), lifecycle?.stop(limitMs)])
      await parts?.worker.stop(limitMs)
      await parts?.queue.stop()
    },
  }
}

export function jobContext(context: WorkerContext): JobContext {
  const options = indexingOptions(context.indexing)
  const { clock } = context
  const embedders = new WeakMap<Embedder, Outage>()
  const outages = {
    search: new Outage(clock, options.outage),
    embedder(embedder: Embedder) {
      const known = embedders.get(embedder) ?? new Outage(clock, options.outage)
      embedders.set(embedder, known)
      return known
    },
  }
  return { ...context, options, outages }
}

function startIndexing(context: JobContext, handlers: JobHandlers) {
  const { logger, options } = context
  const queue = createJobQueue('indexing', context.queue, logger)
  const relay = new Relay(context, queue)
  async function handle(name: string, payload: unknown, id: string): Promise<void> {
    try {
      await handlerOf(handlers, name)(context, payload as BatchPayload)
      relay.finished(id)
    } catch (error) {
      // Any other failure waits for the end of the lease, or it would come again at once and for ever.
      if (error instanceof UnavailableError) relay.gaveUp(id)
      logger.warn({ job: name, ticket: id, failure: describeFailure(error) }, 'job failed; its rows will be due again')
      throw error
    }
  }
  const worker = startJobWorker('indexing', context.queue, handle, {
    concurrency: options.concurrency,
    logger,
    queue,
  })
  relay.start()
  return { queue, worker, relay }
}

function handlerOf(handlers: JobHandlers, name: string): JobHandlers[JobName] {
  if (!Object.hasOwn(JOB_QUEUES, name)) throw new Error('no such job')
  return handlers[name as JobName]
}
