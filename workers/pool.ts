import { UnavailableError } from '../runtime/errors.js'
import type { AwaitStop } from '../runtime/lifecycle.js'
import { type JobContext, jobContext, type WorkerContext } from './context.js'
import { describeFailure } from './failures.js'
import { batchJobsOf, type BatchPayload, type Jobs, observeJob, type QueueName, type RelayedQueueName } from './job.js'
import { JOBS } from './jobs.js'
import { createJobQueue, startJobWorker, type JobQueue, type JobWorker } from './queue.js'
import { Relay, type RelayOptions } from './relay.js'
import { type RunningForge, startForge } from './forge/forge-queue.js'
import { type RunningChores, type RunningSchedule, startChores, startSchedule } from './repeat-jobs.js'

interface WorkersOptions {
  readonly queues: readonly QueueName[]
  readonly jobs?: Jobs
}

export interface Workers {
  /** Returns at once: unavailable dependencies are awaited in the background. */
  start(): void
  /** Lets work in progress end, for up to `limitMs`; the leases of unfinished work expire. `awaitStop` is told what each of the waits is for. */
  stop(limitMs?: number, awaitStop?: AwaitStop): Promise<void>
}

/**
 * The working part of a process: for `indexing`, `enrichment` and `scans` a relay and a worker each, for `lifecycle` a worker on
 * the queue's scheduled jobs, for `forge` one on the runs of the Forge, and the chores of each queue. Without a language model
 * nobody works on `enrichment`.
 */
export function createWorkers(context: WorkerContext, { queues, jobs = JOBS }: WorkersOptions): Workers {
  const stopping = new AbortController()
  const shared = jobContext(context, stopping.signal)
  const relayed: RelayedQueue[] = []
  let chores: RunningChores | undefined
  let schedule: RunningSchedule | undefined
  let forge: RunningForge | undefined

  return {
    start() {
      if (chores) return
      chores = startChores(shared, jobs, queues)
      if (queues.includes('indexing')) relayed.push(startRelayed('indexing', shared, jobs, indexingOptions(shared)))
      const enrichment = queues.includes('enrichment') ? enrichmentOptions(shared) : null
      if (enrichment) relayed.push(startRelayed('enrichment', shared, jobs, enrichment))
      if (queues.includes('scans')) relayed.push(startRelayed('scans', shared, jobs, scanOptions(shared)))
      if (queues.includes('lifecycle')) schedule = startSchedule(shared, jobs)
      if (queues.includes('forge')) forge = startForge(shared, jobs)
    },
    async stop(limitMs = 15_000, awaitStop = async (_piece, stopped) => void (await stopped)) {
      stopping.abort()
      await Promise.all([
        awaitStop('chores', chores?.stop()),
        ...relayed.map(({ name, relay }) => awaitStop(`relay of ${name}`, relay.stop())),
        awaitStop('lifecycle', schedule?.stop(limitMs)),
        awaitStop('forge', forge?.stop(limitMs)),
      ])
      await Promise.all(relayed.map(({ name, worker }) => awaitStop(`worker of ${name}`, worker.stop(limitMs))))
      await Promise.all(relayed.map(({ name, queue }) => awaitStop(`queue of ${name}`, queue.stop())))
    },
  }
}

interface RelayedQueue {
  readonly name: RelayedQueueName
  readonly queue: JobQueue
  readonly worker: JobWorker
  readonly relay: Relay
}

interface RelayedQueueOptions extends Omit<RelayOptions, 'jobs'> {
  /** Number of jobs that this process works on at a time. */
  readonly concurrency: number
}

function indexingOptions({ outages, options }: JobContext): RelayedQueueOptions {
  const { concurrency, maxBatches, batchSize, leaseMs } = options
  return { concurrency, maxBatches, batchSize, leaseMs, outage: outages.search }
}

/** Time of the lease beyond the completions of a memory: for what comes before and after them. */
const LEASE_SLACK_MS = 60_000
const COMPLETIONS_PER_MEMORY = 2

/** Makes batches of one memory: a completion takes as long as thousands of rows of any other kind. */
function enrichmentOptions({ enrichment, outages }: JobContext): RelayedQueueOptions | null {
  if (enrichment === null) return null
  const { concurrency, withinMs } = enrichment
  return {
    concurrency,
    maxBatches: 2 * concurrency,
    batchSize: 1,
    leaseMs: COMPLETIONS_PER_MEMORY * withinMs + LEASE_SLACK_MS,
    outage: outages.languageModel,
  }
}

/** Makes small batches, one at a time: the scanner's thread does one scan after another. */
function scanOptions({ outages }: JobContext): RelayedQueueOptions {
  return { concurrency: 1, maxBatches: 4, batchSize: 10, leaseMs: 120_000, outage: outages.scanner }
}

function startRelayed(
  name: RelayedQueueName,
  context: JobContext,
  jobs: Jobs,
  { concurrency, ...options }: RelayedQueueOptions,
): RelayedQueue {
  const { logger } = context
  const queue = createJobQueue(name, context.queue, logger)
  const batchJobs = new Map(batchJobsOf(jobs, name))
  const relay = new Relay(context, queue, { jobs: batchJobs, ...options })
  async function handle(job: string, payload: unknown, id: string): Promise<void> {
    try {
      const known = batchJobs.get(job)
      if (!known) throw new Error('unknown job')
      const outcome = await observeJob(context, job, () => known.run(context, payload as BatchPayload))
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
  return { name, queue, worker, relay }
}
