import { setTimeout as sleep } from 'node:timers/promises'
import { claim, findLiveTickets, kindsWithRows, type ClaimedBatch } from '../store/outbox/outbox-claim.js'
import { requeueWithoutAttempt } from '../store/outbox/outbox.js'
import type { PendingKind } from '../store/schema.js'
import type { JobContext } from './context.js'
import { describeFailure, isOutage } from './failures.js'
import type { BatchJob } from './job.js'
import { Outage } from './outage.js'
import type { JobQueue, QueuedJob } from './queue.js'

/** Number of rows in the one batch that probes whether an outage is over. */
const PROBE_SIZE = 10
/** Pause after a claim that was no full batch: lets rows of a steady stream of writes gather. */
const GATHER_MS = 25
/** Interval in which tickets are looked up that no worker of this process has reported. */
const LOOK_UP_MS = 1_000
/** Age after which a batch that is still claimed should be in the queue. */
const LOST_AFTER_MS = 2_000

export interface RelayOptions {
  /** Jobs by name, in the order of their rows' importance. */
  readonly jobs: ReadonlyMap<string, BatchJob>
  readonly maxBatches: number
  readonly batchSize: number
  readonly leaseMs: number
  /** Outage of a dependency that all of the jobs need: while it lasts, jobs are added one small batch at a time. */
  readonly outage: Outage
}

/**
 * Moves due rows of index_pending into the queue, as batches of ids of one tenant, and keeps at most `maxBatches` of
 * them unsettled. Rows are claimed under a lease in PostgreSQL, so a relay that dies, or a queue that forgets, loses
 * nothing. Any number of processes may run one.
 */
export class Relay {
  readonly #stopping = new AbortController()
  readonly #queueOutage: Outage
  readonly #postgresOutage: Outage
  /** Unsettled tickets that this relay has added to the queue, with the time of their claim. */
  readonly #unsettled = new Map<string, number>()
  /** Tickets whose jobs ended with an outage; their rows are made due again in the next tick that reaches PostgreSQL. */
  readonly #abandoned = new Set<string>()
  readonly #after = new Map<PendingKind, string>()
  #lookedUpAt = 0
  /**
   * Wake-up signal, aborted to end a pause; replaced with every tick, so that a signal during a tick shortens the pause
   * after it.
   */
  #wakeUp = new AbortController()
  #loop: Promise<void> | undefined

  constructor(
    private readonly context: JobContext,
    private readonly queue: JobQueue,
    private readonly options: RelayOptions,
  ) {
    const { outage } = context.options
    this.#queueOutage = new Outage(context.clock, outage)
    this.#postgresOutage = new Outage(context.clock, outage)
  }

  start(): void {
    this.#loop ??= this.#run()
  }

  /** Resolves when the current tick is over. What it has added is left to the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wakeUp.abort()
    await this.#loop
  }

  /** Notes that a worker of this process has finished a batch: settled or requeued. */
  noteFinished(ticket: string): void {
    if (this.#unsettled.delete(ticket)) this.#wakeUp.abort()
  }

  /**
   * Notes that a worker of this process ended a batch because PostgreSQL was unavailable, so that it could not requeue
   * anything itself. A queue in that PostgreSQL does not know of the end either: without this only the lease's end
   * would free the rows.
   */
  noteAbandoned(ticket: string): void {
    this.#abandoned.add(ticket)
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wakeUp = new AbortController()
      const pauseMs = await this.#tick().catch((error: unknown) => this.#fail(error))
      if (pauseMs > 0 && !this.#stopping.signal.aborted)
        await sleep(pauseMs, undefined, { signal: this.#wakeUp.signal }).catch(() => undefined)
    }
  }

  /** Returns the time to wait before the next tick. */
  async #tick(): Promise<number> {
    const { pollMs } = this.context.options
    const { outage, jobs, maxBatches, batchSize } = this.options
    await this.#requeueAbandoned()
    await this.#lookUp()
    const isProbing = outage.isOn || this.#queueOutage.isOn || this.#postgresOutage.isOn
    const waitMs = Math.max(outage.waitMs(), this.#queueOutage.waitMs())
    if (waitMs > 0) return waitMs
    const capacity = (isProbing ? 1 : maxBatches) - this.#unsettled.size
    if (capacity <= 0) return pollMs
    const size = isProbing ? Math.min(PROBE_SIZE, batchSize) : batchSize

    const waiting = await this.#kindsWithRows()
    const claimed: QueuedJob[] = []
    for (const [name, { rows, isReady }] of jobs) {
      if (claimed.length >= capacity || !waiting.has(rows) || isReady?.(this.context) === false) continue
      const batches = await this.#claim(rows, capacity - claimed.length, size)
      claimed.push(...batches.map((batch) => queuedJob(name, batch)))
    }
    this.#postgresOutage.recovered()
    if (claimed.length === 0) return pollMs
    await this.#addToQueue(claimed)
    return claimed.some(({ payload }) => payload.ids.length === size) ? 0 : GATHER_MS
  }

  #kindsWithRows(): Promise<Set<PendingKind>> {
    const kinds = [...this.options.jobs.values()].map(({ rows }) => rows)
    return this.context.store.asSystem((system) => kindsWithRows(system, kinds))
  }

  /** Claims tenant by tenant; when the last tenants had nothing to claim, begins again with the first at once. */
  async #claim(kind: PendingKind, batches: number, batchSize: number): Promise<readonly ClaimedBatch[]> {
    const { store } = this.context
    const { leaseMs } = this.options
    for (;;) {
      const after = this.#after.get(kind) ?? ''
      const claimed = await store.asSystem((system) => claim(system, kind, { batches, batchSize, leaseMs, after }))
      this.#after.set(kind, claimed.next)
      if (claimed.batches.length > 0 || claimed.next > after || after === '') return claimed.batches
    }
  }

  async #addToQueue(jobs: readonly QueuedJob[]): Promise<void> {
    const now = this.context.clock.now()
    for (const { id } of jobs) this.#unsettled.set(id, now)
    try {
      await this.queue.add(jobs)
      this.#queueOutage.recovered()
    } catch (error) {
      if (!this.#queueOutage.isOn)
        this.context.logger.warn(
          { failure: describeFailure(error) },
          'queue is unavailable; changes wait in PostgreSQL',
        )
      await this.#requeue(
        jobs.map(({ id }) => id),
        this.#queueOutage.failed(),
      )
    }
  }

  /** Forgets tickets that other processes have settled, and requeues those whose job the queue does not know any more. */
  async #lookUp(): Promise<void> {
    const { clock, store } = this.context
    if (this.#unsettled.size === 0 || clock.now() - this.#lookedUpAt < LOOK_UP_MS) return
    this.#lookedUpAt = clock.now()
    const live = await store.asSystem((system) => findLiveTickets(system, [...this.#unsettled.keys()]))
    const old: string[] = []
    for (const [ticket, claimedAt] of this.#unsettled) {
      if (!live.has(ticket)) this.#forget(ticket)
      else if (clock.now() - claimedAt > LOST_AFTER_MS) old.push(ticket)
    }
    if (old.length === 0) return
    const lost = await this.queue.missing(old).catch(() => [])
    if (lost.length === 0) return
    // Another process may have ended one between the two looks: then this releases no rows.
    const rows = await this.#requeue(lost, 0)
    if (rows > 0)
      this.context.logger.warn({ batches: lost.length, rows }, 'the queue lost batches; their rows are due again')
  }

  async #requeueAbandoned(): Promise<void> {
    if (this.#abandoned.size === 0) return
    const tickets = [...this.#abandoned]
    // A dependency that is unavailable for the job alone (its pool, its statement) would otherwise be asked again
    // without a pause.
    await this.#requeue(tickets, this.context.options.outage.baseMs)
    for (const ticket of tickets) this.#abandoned.delete(ticket)
  }

  /**
   * Forgets a ticket that another process has finished, which alone knows the result: unless this process has seen a
   * failure, the outage counts as over.
   */
  #forget(ticket: string): void {
    this.#unsettled.delete(ticket)
    if (this.options.outage.waitMs() === 0) this.options.outage.recovered()
  }

  async #requeue(tickets: readonly string[], afterMs: number): Promise<number> {
    const rows = await this.context.store.asSystem((system) => requeueWithoutAttempt(system, tickets, afterMs))
    for (const ticket of tickets) this.#unsettled.delete(ticket)
    return rows
  }

  #fail(error: unknown): number {
    // What fails while the process stops is due again when its lease ends.
    if (!this.#stopping.signal.aborted && !this.#postgresOutage.isOn)
      this.context.logger.warn({ failure: describeFailure(error), isOutage: isOutage(error) }, 'relay failed')
    return this.#postgresOutage.failed()
  }
}

/** Returns the job of a batch; its id is the ticket. */
function queuedJob(name: string, { tenantId, ticket, ids }: ClaimedBatch): QueuedJob {
  return { name, id: ticket, payload: { tenantId, ticket, ids } }
}
