import { CairnError } from '../../runtime/errors.js'
import type { Metrics } from '../../runtime/metrics.js'

export interface FairAdmissionOptions {
  /** Requests at work at a time, of all tenants: as many as there are connections to work with. */
  readonly places: number
  /** Of these, how many one tenant has while others call. */
  readonly tenantPlaces: number
  /** Requests of one tenant that wait for a place; more are refused. */
  readonly tenantQueue: number
  readonly metrics: Pick<Metrics, 'limited' | 'admission'>
  /** How long a request waits for its place. */
  readonly waitMs?: number
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

/** A request's place among those at work. */
export interface Place {
  /** Gives it to the next; once is enough, more often does nothing. */
  leave(): void
}

interface Line {
  running: number
  /** The how manieth admission its last one was; 0 for none since it had nothing to do. */
  admitted: number
  /** In the order in which they came. */
  readonly waiting: Set<Waiter>
}

interface Waiter {
  admit(): void
}

/** So long a tenant that has called counts as one that calls. */
const PRESENT_MS = 10_000
const WAIT_MS = 5_000

/**
 * Keeps one tenant from taking all of a process: its connections, and its one thread. A free place goes to whoever has the fewest
 * (max-min fairness), among equals to whom it went longest ago. A tenant alone has every place; as long as others call it has
 * `tenantPlaces`, because a place that it holds already cannot be taken back from it when a neighbour comes.
 */
export class FairAdmission {
  /** Tenants with a request at work or waiting. */
  readonly #lines = new Map<string, Line>()
  readonly #now: () => number
  #admitted = 0
  #running = 0
  #waiting = 0
  /** Who came last, and the last who was another. */
  #latest: Sighting = NOBODY
  #latestOther: Sighting = NOBODY

  constructor(private readonly options: FairAdmissionOptions) {
    this.#now = options.now ?? (() => performance.now())
  }

  /** Throws 429 when too many of the tenant wait already or its turn does not come, the signal's reason once it is aborted. */
  async enter(tenantId: string, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted()
    this.#see(tenantId)
    const line = this.#lineOf(tenantId)
    if (line.waiting.size === 0 && this.#hasRoom(tenantId, line)) return this.#admit(tenantId, line)
    if (line.waiting.size >= this.options.tenantQueue) {
      this.#drop(tenantId, line)
      throw this.#refusal()
    }
    return this.#wait(tenantId, line, signal)
  }

  #wait(tenantId: string, line: Line, signal: AbortSignal): Promise<Place> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        line.waiting.delete(waiter)
        this.#waiting--
        this.#report()
      }
      const fail = (error: unknown) => {
        stop()
        this.#drop(tenantId, line)
        reject(error as Error)
      }
      const giveUp = () => fail(signal.reason)
      const waiter: Waiter = {
        admit: () => {
          stop()
          resolve(this.#admit(tenantId, line))
        },
      }
      const timer = setTimeout(() => fail(this.#refusal()), this.options.waitMs ?? WAIT_MS)
      signal.addEventListener('abort', giveUp, { once: true })
      line.waiting.add(waiter)
      this.#waiting++
      this.#report()
    })
  }

  #admit(tenantId: string, line: Line): Place {
    line.running++
    line.admitted = ++this.#admitted
    this.#running++
    this.#report()
    let isHeld = true
    return {
      leave: () => {
        if (!isHeld) return
        isHeld = false
        line.running--
        this.#running--
        this.#drop(tenantId, line)
        this.#report()
        this.#admitNext()
      },
    }
  }

  #admitNext(): void {
    while (this.#waiting > 0 && this.#running < this.options.places) {
      let next: Line | undefined
      for (const [tenantId, line] of this.#lines) {
        if (line.waiting.size === 0 || !this.#hasRoom(tenantId, line)) continue
        if (next === undefined || comesBefore(line, next)) next = line
      }
      if (!next) return
      const [waiter] = next.waiting
      waiter!.admit()
    }
  }

  #hasRoom(tenantId: string, line: Line): boolean {
    const { places, tenantPlaces } = this.options
    if (this.#running >= places) return false
    return line.running < (this.#isAlone(tenantId, line) ? places : tenantPlaces)
  }

  #isAlone(tenantId: string, line: Line): boolean {
    if (this.#running > line.running) return false
    const other = this.#latest.tenantId === tenantId ? this.#latestOther : this.#latest
    return this.#now() - other.at > PRESENT_MS
  }

  #see(tenantId: string): void {
    if (this.#latest.tenantId !== tenantId) this.#latestOther = this.#latest
    this.#latest = { tenantId, at: this.#now() }
  }

  #lineOf(tenantId: string): Line {
    let line = this.#lines.get(tenantId)
    if (!line) this.#lines.set(tenantId, (line = { running: 0, admitted: 0, waiting: new Set() }))
    return line
  }

  #drop(tenantId: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(tenantId)
  }

  #report(): void {
    this.options.metrics.admission({ running: this.#running, waiting: this.#waiting })
  }

  #refusal(): CairnError {
    this.options.metrics.limited('concurrency')
    return new CairnError(429, 'Too many requests of this tenant are under way at a time.', {
      headers: { 'Retry-After': '1' },
    })
  }
}

function comesBefore(line: Line, other: Line): boolean {
  return line.running === other.running ? line.admitted < other.admitted : line.running < other.running
}

interface Sighting {
  readonly tenantId: string | null
  readonly at: number
}

const NOBODY: Sighting = { tenantId: null, at: -Infinity }
