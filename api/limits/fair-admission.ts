import { CairnError } from '../../runtime/errors.js'
import type { Metrics } from '../../runtime/metrics.js'

export interface FairAdmissionOptions {
  /** Requests at work at a time, of all tenants: as many as there are connections to work with. */
  readonly places: number
  /** Of these, how many one tenant has while others call; and as many for its bulk writes. */
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

/** Requests of one tenant that are treated alike: its bulk writes, or all others, which so need not wait behind them. */
interface Line {
  readonly name: string
  readonly tenantId: string
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
 * Keeps one tenant from taking all of a process: its connections, and its one thread. A free place goes to the line that has the
 * fewest (max-min fairness), among equals to which it went longest ago. A tenant alone has every place; as long as others call it has
 * `tenantPlaces`, because a place that it holds already cannot be taken back from it when a neighbour comes.
 */
export class FairAdmission {
  /** Those with a request at work or waiting, by name. */
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

  /**
   * Throws 429 when too many wait in this line already, 503 when its turn does not come in time, and the signal's reason once it
   * is aborted.
   */
  async enter(tenantId: string, signal: AbortSignal, isBulk = false): Promise<Place> {
    signal.throwIfAborted()
    this.#see(tenantId)
    const line = this.#lineOf(tenantId, isBulk)
    if (line.waiting.size === 0 && this.#hasRoom(line)) return this.#admit(line)
    if (line.waiting.size >= this.options.tenantQueue) {
      this.#drop(line)
      throw this.#refusal(429, 'Too many requests of this tenant are under way at a time.')
    }
    return this.#wait(line, signal)
  }

  #wait(line: Line, signal: AbortSignal): Promise<Place> {
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
        this.#drop(line)
        reject(error as Error)
      }
      const giveUp = () => fail(signal.reason)
      const waiter: Waiter = {
        admit: () => {
          stop()
          resolve(this.#admit(line))
        },
      }
      const late = () => fail(this.#refusal(503, 'The service is busy, and did not come to this request in time.'))
      const timer = setTimeout(late, this.options.waitMs ?? WAIT_MS)
      signal.addEventListener('abort', giveUp, { once: true })
      line.waiting.add(waiter)
      this.#waiting++
      this.#report()
    })
  }

  #admit(line: Line): Place {
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
        this.#drop(line)
        this.#report()
        this.#admitNext()
      },
    }
  }

  #admitNext(): void {
    while (this.#waiting > 0 && this.#running < this.options.places) {
      let next: Line | undefined
      for (const line of this.#lines.values()) {
        if (line.waiting.size === 0 || !this.#hasRoom(line)) continue
        if (next === undefined || comesBefore(line, next)) next = line
      }
      if (!next) return
      const [waiter] = next.waiting
      waiter!.admit()
    }
  }

  #hasRoom(line: Line): boolean {
    const { places, tenantPlaces } = this.options
    if (this.#running >= places) return false
    return line.running < (this.#isAlone(line.tenantId) ? places : tenantPlaces)
  }

  #isAlone(tenantId: string): boolean {
    const own = [false, true].map((isBulk) => this.#lines.get(nameOf(tenantId, isBulk))?.running ?? 0)
    if (this.#running > own[0]! + own[1]!) return false
    const other = this.#latest.tenantId === tenantId ? this.#latestOther : this.#latest
    return this.#now() - other.at > PRESENT_MS
  }

  #see(tenantId: string): void {
    if (this.#latest.tenantId !== tenantId) this.#latestOther = this.#latest
    this.#latest = { tenantId, at: this.#now() }
  }

  #lineOf(tenantId: string, isBulk: boolean): Line {
    const name = nameOf(tenantId, isBulk)
    let line = this.#lines.get(name)
    if (!line) this.#lines.set(name, (line = { name, tenantId, running: 0, admitted: 0, waiting: new Set() }))
    return line
  }

  #drop({ name, running, waiting }: Line): void {
    if (running === 0 && waiting.size === 0) this.#lines.delete(name)
  }

  #report(): void {
    this.options.metrics.admission({ running: this.#running, waiting: this.#waiting })
  }

  #refusal(status: 429 | 503, message: string): CairnError {
    this.options.metrics.limited('concurrency')
    return new CairnError(status, message, { headers: { 'Retry-After': '1' } })
  }
}

function nameOf(tenantId: string, isBulk: boolean): string {
  return `${isBulk ? 'bulk' : 'other'}:${tenantId}`
}

function comesBefore(line: Line, other: Line): boolean {
  return line.running === other.running ? line.admitted < other.admitted : line.running < other.running
}

interface Sighting {
  readonly tenantId: string | null
  readonly at: number
}

const NOBODY: Sighting = { tenantId: null, at: -Infinity }
