import { HttpError } from '../errors.js'

export interface FairAdmissionOptions {
  /** The capacity to share: permits for concurrent requests, or bytes of their bodies. */
  readonly total: number
  /** The part of it that one tenant queue may always hold. */
  readonly share: number
  /** True when a tenant may hold more than its share, as long as no other tenant is active that asks for less. */
  readonly allowsBorrowing: boolean
  /** Returns the factor of what a tenant may borrow, at least 1, from the milliseconds that all permits were held. 1 by default. */
  readonly stretch?: (heldMs: number) => number
  /** Requests that may wait in one tenant queue; more are refused. */
  readonly queue: number
  /** Names what a refused request waited for, to its caller. */
  readonly waitsFor: string
  /**
   * Requests of one tenant queue that may wait for other services, or to come back from there; at this number, no further request that
   * may call other services is admitted. Unlimited by default.
   */
  readonly externalCalls?: number
  readonly onUse: (use: { readonly taken: number; readonly waiting: number; readonly externalCalls: number }) => void
  readonly onRefusal: () => void
  /** Milliseconds that a request waits for its permit; with Infinity it waits until the signal is aborted. */
  readonly waitMs?: number
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** A request that asks to be admitted. */
export interface AdmissionRequest {
  /** The tenant that the request counts for, or the admin credential. */
  readonly tenant: string
  /** Bulk writes of a tenant have a queue of their own. */
  readonly isBulk: boolean
  /** True when the request may wait for another service. Default false. */
  readonly callsOtherServices?: boolean
  /** False where the request's tenant does not keep others from borrowing: what callers without a key ask for. Default true. */
  readonly limitsOthers?: boolean
  readonly signal: AbortSignal
}

/** The part of the capacity that an admitted request holds. */
export interface Permit {
  /** Shrinks the permit to `amount`; does nothing when it is no larger. */
  shrinkTo(amount: number): void
  /**
   * Enlarges the permit to `amount`, or to the whole capacity if that is less; does nothing when it is no smaller. It is given back and
   * acquired anew, before any request of the same queue that has not started.
   */
  growTo(amount: number): Promise<void>
  /** Releases the permit. Further calls do nothing. */
  release(): void
  /**
   * Settles as `work` does, which waits for another service; the permit is released meanwhile. Afterwards the same amount is acquired
   * again, before any request of the same queue that has not started: a request that comes back is never refused, and only the signal
   * ends its wait. Throws the signal's reason then, and holds nothing.
   */
  releaseDuring<T>(work: Promise<T>): Promise<T>
  /** Settles as `work` does, which waits for another request of this process; the rest is as with `releaseDuring`. */
  pauseDuring<T>(work: Promise<T>): Promise<T>
}

/** Names what a request waits for without its permit: another service, or other requests of this process. */
type Outside = 'externalCalls' | 'paused'

/** An amount of the capacity, held until it is released. */
type Allocation = Pick<Permit, 'shrinkTo' | 'release'>

/** The queue of one tenant's bulk writes, or of all its other requests, which need not wait behind its bulk writes. */
interface TenantQueue {
  readonly name: string
  readonly tenant: string
  taken: number
  /** Sequence number of its latest admission; 0 for none since the queue was created. */
  lastAdmission: number
  /** Started requests that wait for other services, or to come back. */
  externalCalls: number
  /** Started requests that wait for others, or to come back. */
  paused: number
  /** Requests in order of arrival: first those that come back, then those that have not started. */
  readonly resuming: Set<Waiter>
  readonly waiting: Set<Waiter>
}

interface Waiter {
  readonly amount: number
  readonly callsOtherServices: boolean
  allocation: Allocation | null
  onAdmitted: (allocation: Allocation) => void
}

/** Records what a tenant asked for when its latest request came, that one included: what is held, waits and is outside. */
interface Demand {
  readonly at: number
  readonly amount: number
}

/** Milliseconds after its latest request during which a tenant counts as active. */
const ACTIVE_MS = 10_000
/** Milliseconds that a request waits for its permit by default. */
export const DEFAULT_WAIT_MS = 5_000

/**
 * Shares a limited capacity of the process between tenants, such as its connections and its one thread, or its memory.
 *
 *     acquire ─▶ waiting ── admitted ─▶ holding ── release ─▶ over
 *                   │                   │     ▲
 *                   ▼                   │     └── admitted ─── resuming ─▶ the signal is aborted: its reason
 *      the queue is full: 429           │                         ▲
 *      waited too long: 429 or 503      └─ releaseDuring,         │
 *      the signal is aborted:              pauseDuring,       the work has settled
 *      its reason                          growTo ─▶ outside ─────┘
 *
 * Each tenant has a queue, and one for its bulk writes. The next request comes from the queue that holds the least (max-min fairness), and among
 * equals from the one that was admitted longest ago. In a queue, one that resumes goes before one that has not started. Nothing else is admitted
 * until that request fits, so that large requests are admitted too.
 *
 * A permit cannot be revoked when another tenant's request arrives. So a tenant may hold no more than its share, or than the least that any
 * other active tenant asks for: as many as a tenant has at work, so many may each of the others have beside it. It may always hold one request,
 * however large. With `allowsBorrowing` a tenant alone may hold all of the capacity, and so may tenants in sum that all ask for much.
 */
export class FairAdmission {
  /** Queues that hold something or have waiting requests, by name. */
  readonly #tenantQueues = new Map<string, TenantQueue>()
  readonly #now: () => number
  #admissions = 0
  #taken = 0
  #waiting = 0
  #externalCalls = 0
  /** Demands of active tenants, the one that sent a request longest ago first. */
  readonly #demands = new Map<string, Demand>()
  /** Milliseconds that permits were held until `#heldUntil`, times their amounts. */
  #heldMs = 0
  #heldUntil: number

  constructor(private readonly options: FairAdmissionOptions) {
    this.#now = options.now ?? (() => performance.now())
    this.#heldUntil = this.#now()
  }

  /**
   * Acquires a permit for `amount`, which is at most `share`. Throws HttpError 429 when the tenant's queue is full; when the permit is not
   * available in time, 429 if the tenant holds some itself and 503 if others hold all; and the signal's reason once the signal is aborted.
   */
  async acquire(request: AdmissionRequest, amount = 1): Promise<Permit> {
    const { tenant, isBulk, callsOtherServices = false, limitsOthers = true, signal } = request
    signal.throwIfAborted()
    if (limitsOthers) this.#recordDemand(tenant, amount)
    const tenantQueue = this.#tenantQueueOf(tenant, isBulk)
    const waiter: Waiter = { amount, callsOtherServices, allocation: null, onAdmitted: () => undefined }
    this.#enqueue(tenantQueue.waiting, waiter)
    if (waiter.allocation) return this.#permitOf(tenantQueue, waiter.allocation, amount, signal)
    if (tenantQueue.waiting.size > this.options.queue) {
      this.#removeWaiter(tenantQueue, waiter)
      throw this.#refusal(429, `Too many requests wait for ${this.options.waitsFor} already.`)
    }
    const allocation = await this.#wait(tenantQueue, waiter, signal, this.options.waitMs ?? DEFAULT_WAIT_MS)
    return this.#permitOf(tenantQueue, allocation, amount, signal)
  }

  /** Acquires a permit that is free at once; returns null where the request would wait. */
  tryAcquire({ tenant, isBulk, signal }: AdmissionRequest): Permit | null {
    const tenantQueue = this.#tenantQueueOf(tenant, isBulk)
    const waiter: Waiter = { amount: 1, callsOtherServices: false, allocation: null, onAdmitted: () => undefined }
    this.#enqueue(tenantQueue.waiting, waiter)
    if (waiter.allocation) return this.#permitOf(tenantQueue, waiter.allocation, 1, signal)
    this.#removeWaiter(tenantQueue, waiter)
    return null
  }

  #permitOf(tenantQueue: TenantQueue, first: Allocation, amount: number, signal: AbortSignal): Permit {
    let allocation = first
    let remaining = amount
    let away = 0
    let isOver = false
    const releaseDuring = async <T>(outside: Outside, work: Promise<T>): Promise<T> => {
      if (isOver) return work
      away++
      this.#leave(tenantQueue, outside)
      allocation.release()
      try {
        return await work
      } finally {
        // When several calls run at once, the last one to settle acquires the permit again.
        if (--away === 0 && !isOver) allocation = await this.#resume(tenantQueue, outside, remaining, signal)
        else this.#comeBack(tenantQueue, outside)
        // The permit may have been released, or another call begun, while this one waited for it.
        if (isOver || away > 0) allocation.release()
      }
    }
    return {
      shrinkTo: (most) => {
        remaining = Math.min(remaining, most)
        allocation.shrinkTo(most)
      },
      release: () => {
        isOver = true
        allocation.release()
      },
      growTo: async (least) => {
        const amount = Math.min(least, this.options.total)
        if (isOver || amount <= remaining) return
        remaining = amount
        this.#leave(tenantQueue, 'paused')
        // Waits in its place before it gives up what it has, which no other request of the queue gets in between.
        const resuming = this.#resume(tenantQueue, 'paused', amount, signal)
        allocation.release()
        allocation = await resuming
        if (isOver) allocation.release()
      },
      releaseDuring: (work) => releaseDuring('externalCalls', work),
      pauseDuring: (work) => releaseDuring('paused', work),
    }
  }

  #leave(tenantQueue: TenantQueue, outside: Outside): void {
    tenantQueue[outside]++
    if (outside === 'externalCalls') this.#externalCalls++
    this.#reportUse()
  }

  #comeBack(tenantQueue: TenantQueue, outside: Outside): void {
    tenantQueue[outside]--
    if (outside === 'externalCalls') this.#externalCalls--
    this.#removeIfEmpty(tenantQueue)
    this.#admitNext()
    this.#reportUse()
  }

  async #resume(tenantQueue: TenantQueue, outside: Outside, amount: number, signal: AbortSignal): Promise<Allocation> {
    try {
      signal.throwIfAborted()
      const waiter: Waiter = { amount, callsOtherServices: true, allocation: null, onAdmitted: () => undefined }
      this.#enqueue(tenantQueue.resuming, waiter)
      return waiter.allocation ?? (await this.#wait(tenantQueue, waiter, signal, Infinity))
    } finally {
      this.#comeBack(tenantQueue, outside)
    }
  }

  #enqueue(queue: Set<Waiter>, waiter: Waiter): void {
    queue.add(waiter)
    this.#waiting++
    this.#admitNext()
    this.#reportUse()
  }

  #wait(tenantQueue: TenantQueue, waiter: Waiter, signal: AbortSignal, waitMs: number): Promise<Allocation> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
      }
      const fail = (error: unknown) => {
        stop()
        this.#removeWaiter(tenantQueue, waiter)
        reject(error as Error)
      }
      const giveUp = () => fail(signal.reason)
      const late = () =>
        fail(
          tenantQueue.taken > 0
            ? this.#refusal(429, `The request waited too long for ${this.options.waitsFor}.`)
            : this.#refusal(503, 'The service is busy: the request waited too long in the queue.'),
        )
      const timer = waitMs === Infinity ? undefined : setTimeout(late, waitMs)
      signal.addEventListener('abort', giveUp, { once: true })
      waiter.onAdmitted = (allocation) => {
        stop()
        resolve(allocation)
      }
    })
  }

  /** Removes a waiting request and admits those that waited behind it. */
  #removeWaiter(tenantQueue: TenantQueue, waiter: Waiter): void {
    dequeue(tenantQueue, waiter)
    this.#waiting--
    this.#removeIfEmpty(tenantQueue)
    this.#admitNext()
    this.#reportUse()
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      const tenantQueue = this.#nextTenantQueue()
      if (!tenantQueue) return
      const waiter = this.#firstWaiterOf(tenantQueue)!
      if (this.#taken + waiter.amount > this.options.total) return
      dequeue(tenantQueue, waiter)
      this.#waiting--
      waiter.allocation = this.#allocate(tenantQueue, waiter.amount)
      waiter.onAdmitted(waiter.allocation)
    }
  }

  #nextTenantQueue(): TenantQueue | undefined {
    const { share, allowsBorrowing } = this.options
    let next: TenantQueue | undefined
    // The same for every queue, and found only when one of them asks for more than its share.
    let limit: number | undefined
    for (const tenantQueue of this.#tenantQueues.values()) {
      const waiter = this.#firstWaiterOf(tenantQueue)
      if (!waiter) continue
      const needed = tenantQueue.taken + waiter.amount
      const isWithinLimit =
        tenantQueue.taken === 0 || needed <= share || (allowsBorrowing && needed <= (limit ??= this.#limit()))
      if (isWithinLimit && (!next || comesBefore(tenantQueue, next))) next = tenantQueue
    }
    return next
  }

  /** Returns the next request of a queue: one that comes back goes before one that has not started. */
  #firstWaiterOf({ resuming, waiting, externalCalls }: TenantQueue): Waiter | undefined {
    const [back] = resuming
    if (back) return back
    const isFull = externalCalls >= (this.options.externalCalls ?? Infinity)
    for (const waiter of waiting) if (!(isFull && waiter.callsOtherServices)) return waiter
    return undefined
  }

  /** Returns how much one queue of any tenant may hold beside the active tenants. */
  #limit(): number {
    const { share, stretch } = this.options
    const stretched = stretch ? stretch(this.#held()) : 1
    return Math.max(share, this.#leastDemand()) * stretched
  }

  /**
   * Returns the least that any active tenant asks for; one below the share ends the search. What a tenant asks for itself never limits it:
   * it is no less than what it holds and waits for.
   */
  #leastDemand(): number {
    this.#forgetInactive()
    let least = Infinity
    for (const { amount } of this.#demands.values()) {
      least = Math.min(least, amount)
      if (least <= this.options.share) break
    }
    return least
  }

  #recordDemand(tenant: string, amount: number): void {
    if (!this.options.allowsBorrowing) return
    let asked = amount
    for (const isBulk of [false, true]) {
      const tenantQueue = this.#tenantQueues.get(nameOf(tenant, isBulk))
      if (tenantQueue) asked += tenantQueue.taken + tenantQueue.externalCalls + tenantQueue.waiting.size
    }
    this.#demands.delete(tenant)
    this.#demands.set(tenant, { at: this.#now(), amount: asked })
    this.#forgetInactive()
  }

  #forgetInactive(): void {
    const activeSince = this.#now() - ACTIVE_MS
    for (const [tenant, { at }] of this.#demands) {
      if (at >= activeSince) return
      this.#demands.delete(tenant)
    }
  }

  /** Returns the milliseconds that permits were held until now; called before any amount changes. */
  #held(): number {
    const now = this.#now()
    this.#heldMs += this.#taken * (now - this.#heldUntil)
    this.#heldUntil = now
    return this.#heldMs
  }

  #allocate(tenantQueue: TenantQueue, amount: number): Allocation {
    this.#held()
    tenantQueue.lastAdmission = ++this.#admissions
    tenantQueue.taken += amount
    this.#taken += amount
    let allocation = amount
    const shrinkTo = (remaining: number) => {
      if (remaining >= allocation) return
      this.#held()
      tenantQueue.taken -= allocation - remaining
      this.#taken -= allocation - remaining
      allocation = remaining
      this.#removeIfEmpty(tenantQueue)
      this.#admitNext()
      this.#reportUse()
    }
    return { shrinkTo, release: () => shrinkTo(0) }
  }

  #tenantQueueOf(tenant: string, isBulk: boolean): TenantQueue {
    const name = nameOf(tenant, isBulk)
    let tenantQueue = this.#tenantQueues.get(name)
    if (!tenantQueue) this.#tenantQueues.set(name, (tenantQueue = newTenantQueue(name, tenant)))
    return tenantQueue
  }

  #removeIfEmpty({ name, taken, externalCalls, paused, waiting }: TenantQueue): void {
    if (taken === 0 && externalCalls === 0 && paused === 0 && waiting.size === 0) this.#tenantQueues.delete(name)
  }

  #reportUse(): void {
    this.options.onUse({ taken: this.#taken, waiting: this.#waiting, externalCalls: this.#externalCalls })
  }

  #refusal(status: 429 | 503, message: string): HttpError {
    this.options.onRefusal()
    return new HttpError(status, message, { retryAfterS: 1 })
  }
}

function nameOf(tenant: string, isBulk: boolean): string {
  return `${isBulk ? 'bulk' : 'other'}:${tenant}`
}

function newTenantQueue(name: string, tenant: string): TenantQueue {
  return {
    name,
    tenant,
    taken: 0,
    lastAdmission: 0,
    externalCalls: 0,
    paused: 0,
    resuming: new Set(),
    waiting: new Set(),
  }
}

function dequeue({ resuming, waiting }: TenantQueue, waiter: Waiter): void {
  resuming.delete(waiter)
  waiting.delete(waiter)
}

function comesBefore(tenantQueue: TenantQueue, other: TenantQueue): boolean {
  return tenantQueue.taken === other.taken
    ? tenantQueue.lastAdmission < other.lastAdmission
    : tenantQueue.taken < other.taken
}
