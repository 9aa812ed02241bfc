import { setTimeout as sleep } from 'node:timers/promises'
import { claim, findLiveTickets, type ClaimedBatch } from '../store/outbox/outbox-claim.js'
import { requeueWithoutAttempt } from '../store/outbox/outbox.js'
import type { PendingKind } from '../store/schema.js'
import { describeFailure, isOutage } from './isolate.js'
import { JOB_OF_KIND, type JobContext } from './jobs.js'
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

/** Work of a relay. */
export interface RelayedWork {
  /** Kinds in the order of their importance. A kind that is not ready is not claimed. */
  readonly kinds: readonly { readonly kind: PendingKind; isReady(): boolean }[]
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
    private readonly work: RelayedWork,
  ) {
    const { clock, options } = context
    this.#queueOutage = new Outage(clock, options.outage)
    this.#postgresOutage = new Outage(clock, options.outage)
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
    const { options } = this.context
    const { outage, kinds, maxBatches, batchSize } = this.work
    await this.#requeueAbandoned()
    await this.#lookUp()
    const isProbing = outage.isOn || this.#queueOutage.isOn || this.#postgresOutage.isOn
    const waitMs = Math.max(outage.waitMs(), this.#queueOutage.waitMs())
    if (waitMs > 0) return waitMs
    const capacity = (isProbing ? 1 : maxBatches) - this.#unsettled.size
    if (capacity <= 0) return options.pollMs
    const size = isProbing ? Math.min(PROBE_SIZE, batchSize) : batchSize

    const batches: ClaimedBatch[] = []
    for (const { kind, isReady } of kinds)
      if (batches.length < capacity && isReady())
        batches.push(...(await this.#claim(kind, capacity - batches.length, size)))
    this.#postgresOutage.recovered()
    if (batches.length === 0) return options.pollMs
    await this.#addToQueue(batches)
    return batches.some((batch) => batch.ids.length === size) ? 0 : GATHER_MS
  }

  /** Claims tenant by tenant; when the last tenants had nothing to claim, begins again with the first at once. */
  async #claim(kind: PendingKind, batches: number, batchSize: number): Promise<readonly ClaimedBatch[]> {
    const { store } = this.context
    const { leaseMs } = this.work
    for (;;) {
      const after = this.#after.get(kind) ?? ''
      const claimed = await store.asSystem((system) => claim(system, kind, { batches, batchSize, leaseMs, after }))
      this.#after.set(kind, claimed.next)
      if (claimed.batches.length > 0 || claimed.next > after || after === '') return claimed.batches
    }
  }

  async #addToQueue(batches: readonly ClaimedBatch[]): Promise<void> {
    const now = this.context.clock.now()
    for (const batch of batches) this.#unsettled.set(batch.ticket, now)
    try {
      await this.queue.add(batches.map(jobOf))
      this.#queueOutage.recovered()
    } catch (error) {
      if (!this.#queueOutage.isOn)
        this.context.logger.warn(
          { failure: describeFailure(error) },
          'queue is unavailable; changes wait in PostgreSQL',
        )
      await this.#requeue(
        batches.map((batch) => batch.ticket),
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
    if (this.work.outage.waitMs() === 0) this.work.outage.recovered()
  }

  async #requeue(tickets: readonly string[], afterMs: number): Promise<number> {
    const rows = await this.context.store.asSystem((system) => requeueWithoutAttempt(system, tickets, afterMs))
    for (const ticket of tickets) this.#unsettled.delete(ticket)
    return rows
  }

  #fail(error: unknown): number {
    if (!this.#postgresOutage.isOn)
      this.context.logger.warn({ failure: describeFailure(error), isOutage: isOutage(error) }, 'relay failed')
    return this.#postgresOutage.failed()
  }
}

function jobOf({ kind, tenantId, ticket, ids }: ClaimedBatch): QueuedJob {
  return { name: JOB_OF_KIND[kind], id: ticket, payload: { tenantId, ticket, ids } }
}
