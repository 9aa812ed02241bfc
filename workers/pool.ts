import type { Embedder } from '../models/embedder.js'
import { UnavailableError } from '../runtime/errors.js'
import { startChores, type RunningChores } from './chores.js'
import { indexingOptions, type WorkerContext } from './context.js'
import { CHORES, JOB_HANDLERS, SCHEDULED_JOBS } from './handlers.js'
import { describeFailure } from './isolate.js'
import { observeJob } from './observe-job.js'
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
import { Relay, type RelayedWork } from './relay.js'
import { startSchedule, type RunningSchedule } from './schedule.js'

interface WorkersOptions {
  readonly queues: readonly QueueName[]
  readonly handlers?: JobHandlers
  readonly chores?: Chores
  readonly scheduled?: ScheduledJobs
}

export interface Workers {
  /** Returns at once: unavailable dependencies are awaited in the background. */
  start(): void
  /** Lets work in progress end, for up to `limitMs`; the leases of unfinished work expire. */
  stop(limitMs?: number): Promise<void>
}

/**
 * The working part of a process: for `indexing` and `enrichment` a relay and a worker each, for `lifecycle` a worker on
 * the queue's scheduled jobs, and the chores of each queue. Without a language model nobody works on `enrichment`.
 */
export function createWorkers(context: WorkerContext, options: WorkersOptions): Workers {
  const { queues, handlers = JOB_HANDLERS, chores = CHORES, scheduled = SCHEDULED_JOBS } = options
  assertComplete(handlers, chores, scheduled)
  const stopping = new AbortController()
  const jobs = jobContext(context, stopping.signal)
  const relayed: RelayedQueue[] = []
  let running: RunningChores | undefined
  let lifecycle: RunningSchedule | undefined

  return {
    start() {
      if (running) return
      running = startChores(jobs, chores, queues)
      if (queues.includes('indexing')) relayed.push(startRelayed('indexing', jobs, handlers, indexingWork(jobs)))
      const enrichment = queues.includes('enrichment') ? enrichmentWork(jobs) : null
      if (enrichment) relayed.push(startRelayed('enrichment', jobs, handlers, enrichment))
      if (queues.includes('lifecycle')) lifecycle = startSchedule(jobs, scheduled)
    },
    async stop(limitMs = 15_000) {
      stopping.abort()
      await Promise.all([running?.stop(), ...relayed.map(({ relay }) => relay.stop()), lifecycle?.stop(limitMs)])
      await Promise.all(relayed.map(({ worker }) => worker.stop(limitMs)))
      await Promise.all(relayed.map(({ queue }) => queue.stop()))
    },
  }
}

export function jobContext(context: WorkerContext, stopping = new AbortController().signal): JobContext {
  const options = indexingOptions(context.indexing)
  const { clock } = context
  const embedders = new WeakMap<Embedder, Outage>()
  const outages = {
    search: new Outage(clock, options.outage),
    languageModel: new Outage(clock, options.outage),
    embedder(embedder: Embedder) {
      const known = embedders.get(embedder) ?? new Outage(clock, options.outage)
      embedders.set(embedder, known)
      return known
    },
  }
  return { ...context, options, outages, stopping }
}

interface RelayedQueue {
  readonly queue: JobQueue
  readonly worker: JobWorker
  readonly relay: Relay
}

type Work = RelayedWork & { readonly concurrency: number }

function indexingWork({ indexes, outages, options }: JobContext): Work {
  const { concurrency, maxBatches, batchSize, leaseMs } = options
  /** Checks the serving index's embedder only; when that of a kept index is unavailable, the jobs find out themselves. */
  const embeds = () => {
    const { embedder } = indexes.serving()
    return embedder.health().available && outages.embedder(embedder).waitMs() === 0
  }
  const kinds = [
    { kind: 'memory', isReady: () => true },
    { kind: 'document', isReady: () => true },
    { kind: 'vector', isReady: embeds },
    { kind: 'document_vector', isReady: embeds },
  ] as const
  return { concurrency, maxBatches, batchSize, leaseMs, kinds, outage: outages.search }
}

/** Time of the lease beyond the completions of a memory: for what comes before and after them. */
const LEASE_SLACK_MS = 60_000
const COMPLETIONS_PER_MEMORY = 2

/** Makes batches of one memory: a completion takes as long as thousands of rows of any other kind. */
function enrichmentWork({ enrichment, outages }: JobContext): Work | null {
  if (enrichment === null) return null
  const { concurrency, withinMs, languageModel } = enrichment
  return {
    concurrency,
    maxBatches: 2 * concurrency,
    batchSize: 1,
    leaseMs: COMPLETIONS_PER_MEMORY * withinMs + LEASE_SLACK_MS,
    kinds: [{ kind: 'enrich', isReady: () => languageModel.health().available }],
    outage: outages.languageModel,
  }
}

function startRelayed(
  name: QueueName,
  context: JobContext,
  handlers: JobHandlers,
  { concurrency, ...work }: Work,
): RelayedQueue {
  const { logger } = context
  const queue = createJobQueue(name, context.queue, logger)
  const relay = new Relay(context, queue, work)
  async function handle(job: string, payload: unknown, id: string): Promise<void> {
    try {
      const outcome = await observeJob(context, job, () => handlerOf(handlers, job)(context, payload as BatchPayload))
      context.metrics.jobRows(job, outcome)
      relay.noteFinished(id)
    } catch (error) {
      // Any other failure waits for the end of the lease, or the batch would come again at once and for ever.
      if (error instanceof UnavailableError) relay.noteAbandoned(id)
      logger.warn({ job, ticket: id, failure: describeFailure(error) }, 'job failed; its rows will be due again')
      throw error
    }
  }
  const worker = startJobWorker(name, context.queue, handle, { concurrency, logger, queue })
  relay.start()
  return { queue, worker, relay }
}

function handlerOf(handlers: JobHandlers, name: string): JobHandlers[JobName] {
  if (!Object.hasOwn(JOB_QUEUES, name)) throw new Error('unknown job')
  return handlers[name as JobName]
}
