import { CairnError } from '../../runtime/errors.js'

export interface FairAdmissionOptions {
  /** The capacity to share: permits for concurrent requests, or bytes of their bodies. */
  readonly total: number
  /** The part of it that one tenant queue may hold while other tenants send requests. */
  readonly share: number
  /** True when a tenant may hold all of the capacity while no other tenant sends requests. */
  readonly lends: boolean
  /** Requests that may wait in one tenant queue; more are refused. */
  readonly queue: number
  /**
   * Requests of one tenant queue that may wait for other services, or to come back from there; at this number, no further request that
   * may call other services is admitted. Unlimited by default.
   */
  readonly outside?: number
  readonly onUse: (use: { readonly taken: number; readonly waiting: number; readonly outside: number }) => void
  readonly onRefusal: () => void
  /** Milliseconds that a request waits for its permit; with Infinity it waits until the signal is aborted. */
  readonly waitMs?: number
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** A request that asks to be admitted. */
export interface Turn {
  /** The tenant that the request counts for, or the admin credential. */
  readonly party: string
  /** Bulk writes of a tenant have a queue of their own. */
  readonly isBulk: boolean
  /** True when the request may wait for another service. Default false. */
  readonly goesOutside?: boolean
  readonly signal: AbortSignal
}

/** The part of the capacity that an admitted request holds. */
export interface Place {
  /** Shrinks the permit to `amount`; does nothing when it is no larger. */
  keep(amount: number): void
  /** Releases the permit. Further calls do nothing. */
  leave(): void
  /**
   * Settles as `work` does, which waits for another service; the permit is released meanwhile. Afterwards the same amount is acquired
   * again, before any request of the same queue that has not started: a request that comes back is never refused, and only the signal
   * ends its wait. Throws the signal's reason then, and holds nothing.
   */
  waitOutside<T>(work: Promise<T>): Promise<T>
}

/** An amount of the capacity, held until it is released. */
type Holding = Pick<Place, 'keep' | 'leave'>

/** The queue of one tenant's bulk writes, or of all its other requests, which need not wait behind its bulk writes. */
interface Line {
  readonly name: string
  readonly party: string
  taken: number
  /** Sequence number of its latest admission; 0 for none since the queue was created. */
  admitted: number
  /** Started requests that wait for other services, or to come back. */
  outside: number
  /** Requests in order of arrival: first those that come back, then those that have not started. */
  readonly returning: Set<Waiter>
  readonly waiting: Set<Waiter>
}

interface Waiter {
  readonly amount: number
  readonly goesOutside: boolean
  held: Holding | null
  onAdmitted: (held: Holding) => void
}

/** Milliseconds after its latest request during which a tenant counts as active. */
const PRESENT_MS = 10_000
/** Milliseconds that a request waits for its permit by default. */
export const WAIT_MS = 5_000

/**
 * Shares a limited capacity of the process between tenants, such as its connections and its one thread, or its memory. Admits the next
 * request from the tenant queue that holds the least (max-min fairness), and among equals from the one that was admitted longest ago.
 * Nothing else is admitted until the first request of that queue fits, so that large requests are admitted too. With `lends`, a tenant
 * may hold all of the capacity while it is alone; while others send requests it is limited to `share`, because a permit cannot be revoked
 * when another tenant arrives.
 */
export class FairAdmission {
  /** Queues that hold something or have waiting requests, by name. */
  readonly #lines = new Map<string, Line>()
  readonly #now: () => number
  #admitted = 0
  #taken = 0
  #waiting = 0
  #outside = 0
  /** The latest tenant to send a request, and the latest one before it that was a different tenant. */
  #latest: Sighting = NOBODY
  #latestOther: Sighting = NOBODY

  constructor(private readonly options: FairAdmissionOptions) {
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Acquires a permit for `amount`, which is at most `share`. Throws CairnError 429 when the tenant's queue is full, 503 when the permit is
   * not available in time, and the signal's reason once the signal is aborted.
   */
  async enter({ party, isBulk, goesOutside = false, signal }: Turn, amount = 1): Promise<Place> {
    signal.throwIfAborted()
    this.#see(party)
    const line = this.#lineOf(party, isBulk)
    const waiter: Waiter = { amount, goesOutside, held: null, onAdmitted: () => undefined }
    this.#join(line.waiting, waiter)
    if (waiter.held) return this.#placeOf(line, waiter.held, amount, signal)
    if (line.waiting.size > this.options.queue) {
      this.#withdraw(line, waiter)
      throw this.#refusal(429, "The tenant's request queue is full.")
    }
    const held = await this.#wait(line, waiter, signal, this.options.waitMs ?? WAIT_MS)
    return this.#placeOf(line, held, amount, signal)
  }

  #placeOf(line: Line, first: Holding, amount: number, signal: AbortSignal): Place {
    let held = first
    let kept = amount
    let outside = 0
    let isOver = false
    return {
      keep: (most) => {
        kept = Math.min(kept, most)
        held.keep(most)
      },
      leave: () => {
        isOver = true
        held.leave()
      },
      waitOutside: async (work) => {
        if (isOver) return work
        outside++
        this.#goOutside(line)
        held.leave()
        try {
          return await work
        } finally {
          // When several calls run at once, the last one to settle acquires the permit again.
          if (--outside === 0 && !isOver) held = await this.#comeBack(line, kept, signal)
          else this.#leaveOutside(line)
          // The permit may have been released, or another call begun, while this one waited for it.
          if (isOver || outside > 0) held.leave()
        }
      },
    }
  }

  #goOutside(line: Line): void {
    line.outside++
    this.#outside++
    this.#report()
  }

  #leaveOutside(line: Line): void {
    line.outside--
    this.#outside--
    this.#drop(line)
    this.#admitNext()
    this.#report()
  }

  async #comeBack(line: Line, amount: number, signal: AbortSignal): Promise<Holding> {
    try {
      signal.throwIfAborted()
      const waiter: Waiter = { amount, goesOutside: true, held: null, onAdmitted: () => undefined }
      this.#join(line.returning, waiter)
      return waiter.held ?? (await this.#wait(line, waiter, signal, Infinity))
    } finally {
      this.#leaveOutside(line)
    }
  }

  #join(queue: Set<Waiter>, waiter: Waiter): void {
    queue.add(waiter)
    this.#waiting++
    this.#admitNext()
    this.#report()
  }

  #wait(line: Line, waiter: Waiter, signal: AbortSignal, waitMs: number): Promise<Holding> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
      }
      const fail = (error: unknown) => {
        stop()
        this.#withdraw(line, waiter)
        reject(error as Error)
      }
      const giveUp = () => fail(signal.reason)
      const late = () => fail(this.#refusal(503, 'The service is busy: the request waited too long in the queue.'))
      const timer = waitMs === Infinity ? undefined : setTimeout(late, waitMs)
      signal.addEventListener('abort', giveUp, { once: true })
      waiter.onAdmitted = (held) => {
        stop()
        resolve(held)
      }
    })
  }

  /** Removes a waiting request and admits those that waited behind it. */
  #withdraw(line: Line, waiter: Waiter): void {
    forget(line, waiter)
    this.#waiting--
    this.#drop(line)
    this.#admitNext()
    this.#report()
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      const line = this.#nextLine()
      if (!line) return
      const waiter = this.#firstOf(line)!
      if (this.#taken + waiter.amount > this.options.total) return
      forget(line, waiter)
      this.#waiting--
      waiter.held = this.#take(line, waiter.amount)
      waiter.onAdmitted(waiter.held)
    }
  }

  #nextLine(): Line | undefined {
    let next: Line | undefined
    for (const line of this.#lines.values()) {
      const waiter = this.#firstOf(line)
      if (waiter && this.#mayHave(line, waiter.amount) && (!next || comesBefore(line, next))) next = line
    }
    return next
  }

  /** Returns the next request of a queue: one that comes back goes before one that has not started. */
  #firstOf({ returning, waiting, outside }: Line): Waiter | undefined {
    const [back] = returning
    if (back) return back
    const isFull = outside >= (this.options.outside ?? Infinity)
    for (const waiter of waiting) if (!(isFull && waiter.goesOutside)) return waiter
    return undefined
  }

  #mayHave(line: Line, amount: number): boolean {
    const { total, share, lends } = this.options
    return line.taken + amount <= (lends && this.#isAlone(line.party) ? total : share)
  }

  #take(line: Line, amount: number): Holding {
    line.admitted = ++this.#admitted
    line.taken += amount
    this.#taken += amount
    let held = amount
    const keep = (kept: number) => {
      if (kept >= held) return
      line.taken -= held - kept
      this.#taken -= held - kept
      held = kept
      this.#drop(line)
      this.#admitNext()
      this.#report()
    }
    return { keep, leave: () => keep(0) }
  }

  #isAlone(party: string): boolean {
    const own = [false, true].map((isBulk) => this.#lines.get(nameOf(party, isBulk))?.taken ?? 0)
    if (this.#taken > own[0]! + own[1]!) return false
    const other = this.#latest.party === party ? this.#latestOther : this.#latest
    return this.#now() - other.at > PRESENT_MS
  }

  #see(party: string): void {
    if (this.#latest.party !== party) this.#latestOther = this.#latest
    this.#latest = { party, at: this.#now() }
  }

  #lineOf(party: string, isBulk: boolean): Line {
    const name = nameOf(party, isBulk)
    let line = this.#lines.get(name)
    if (!line) this.#lines.set(name, (line = newLine(name, party)))
    return line
  }

  #drop({ name, taken, outside, waiting }: Line): void {
    if (taken === 0 && outside === 0 && waiting.size === 0) this.#lines.delete(name)
  }

  #report(): void {
    this.options.onUse({ taken: this.#taken, waiting: this.#waiting, outside: this.#outside })
  }

  #refusal(status: 429 | 503, message: string): CairnError {
    this.options.onRefusal()
    return new CairnError(status, message, { headers: { 'Retry-After': '1' } })
  }
}

function nameOf(party: string, isBulk: boolean): string {
  return `${isBulk ? 'bulk' : 'other'}:${party}`
}

function newLine(name: string, party: string): Line {
  return { name, party, taken: 0, admitted: 0, outside: 0, returning: new Set(), waiting: new Set() }
}

function forget({ returning, waiting }: Line, waiter: Waiter): void {
  returning.delete(waiter)
  waiting.delete(waiter)
}

function comesBefore(line: Line, other: Line): boolean {
  return line.taken === other.taken ? line.admitted < other.admitted : line.taken < other.taken
}

interface Sighting {
  readonly party: string | null
  readonly at: number
}

const NOBODY: Sighting = { party: null, at: -Infinity }
