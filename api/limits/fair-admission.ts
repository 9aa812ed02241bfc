import { CairnError } from '../../runtime/errors.js'

export interface FairAdmissionOptions {
  /** What there is to share: places among the requests at work, or bytes of their bodies. */
  readonly total: number
  /** Of it, how much one line has while others call. */
  readonly share: number
  /** Whether a party that is alone may have all of it. */
  readonly lends: boolean
  /** Requests of one line that wait for their turn; more are refused. */
  readonly queue: number
  readonly onUse: (use: { readonly taken: number; readonly waiting: number }) => void
  readonly onRefusal: () => void
  /** How long a request waits for its turn. */
  readonly waitMs?: number
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

/** A request that asks to be admitted. */
export interface Turn {
  /** With whom it shares: those of its tenant, or of the admin credential. */
  readonly party: string
  /** A party's bulk writes stand in a line of their own. */
  readonly isBulk: boolean
  readonly signal: AbortSignal
}

/** What a request was given of the whole. */
export interface Place {
  /** Gives back what is more than `amount`. */
  keep(amount: number): void
  /** Gives it to the next; once is enough, more often does nothing. */
  leave(): void
}

/** Requests of one party that are treated alike: its bulk writes, or all others, which so need not wait behind them. */
interface Line {
  readonly name: string
  readonly party: string
  taken: number
  /** The how manieth admission its last one was; 0 for none since it had nothing to do. */
  admitted: number
  /** In the order in which they came. */
  readonly waiting: Set<Waiter>
}

interface Waiter {
  readonly amount: number
  place: Place | null
  onAdmitted: (place: Place) => void
}

/** So long a party that has called counts as one that calls. */
const PRESENT_MS = 10_000
/** So long a request waits for its turn, unless it is told otherwise. */
export const WAIT_MS = 5_000

/**
 * Keeps one tenant from taking all that a process has of something: its connections and its one thread, or its memory. The next
 * turn is that of the line that has the least (max-min fairness), among equals of the one that had its last longest ago. It is
 * waited with for as much as its first request asks for, so that large requests have their turn too. Where the whole is lent, a
 * party alone has all of it; as long as others call it has `share`, because what it holds already cannot be taken back from it
 * when a neighbour comes.
 */
export class FairAdmission {
  /** Those that have something or wait, by name. */
  readonly #lines = new Map<string, Line>()
  readonly #now: () => number
  #admitted = 0
  #taken = 0
  #waiting = 0
  /** Who came last, and the last who was another. */
  #latest: Sighting = NOBODY
  #latestOther: Sighting = NOBODY

  constructor(private readonly options: FairAdmissionOptions) {
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Takes `amount`, at most the share of a line. Throws 429 when too many wait in this line already, 503 when its turn does not
   * come in time, and the signal's reason once it is aborted.
   */
  async enter({ party, isBulk, signal }: Turn, amount = 1): Promise<Place> {
    signal.throwIfAborted()
    this.#see(party)
    const line = this.#lineOf(party, isBulk)
    const waiter: Waiter = { amount, place: null, onAdmitted: () => undefined }
    line.waiting.add(waiter)
    this.#waiting++
    this.#admitNext()
    this.#report()
    if (waiter.place) return waiter.place
    if (line.waiting.size > this.options.queue) {
      this.#withdraw(line, waiter)
      throw this.#refusal(429, 'Too many requests of this caller are under way at a time.')
    }
    return this.#wait(line, waiter, signal)
  }

  #wait(line: Line, waiter: Waiter, signal: AbortSignal): Promise<Place> {
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
      const late = () => fail(this.#refusal(503, 'The service is busy, and did not come to this request in time.'))
      const timer = setTimeout(late, this.options.waitMs ?? WAIT_MS)
      signal.addEventListener('abort', giveUp, { once: true })
      waiter.onAdmitted = (place) => {
        stop()
        resolve(place)
      }
    })
  }

  /** Whoever waited behind it may have their turn. */
  #withdraw(line: Line, waiter: Waiter): void {
    line.waiting.delete(waiter)
    this.#waiting--
    this.#drop(line)
    this.#admitNext()
    this.#report()
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      const line = this.#nextLine()
      if (!line) return
      const waiter = firstOf(line)!
      if (this.#taken + waiter.amount > this.options.total) return
      line.waiting.delete(waiter)
      this.#waiting--
      waiter.place = this.#take(line, waiter.amount)
      waiter.onAdmitted(waiter.place)
    }
  }

  #nextLine(): Line | undefined {
    let next: Line | undefined
    for (const line of this.#lines.values()) {
      const waiter = firstOf(line)
      if (waiter && this.#mayHave(line, waiter.amount) && (!next || comesBefore(line, next))) next = line
    }
    return next
  }

  #mayHave(line: Line, amount: number): boolean {
    const { total, share, lends } = this.options
    return line.taken + amount <= (lends && this.#isAlone(line.party) ? total : share)
  }

  #take(line: Line, amount: number): Place {
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
    if (!line) this.#lines.set(name, (line = { name, party, taken: 0, admitted: 0, waiting: new Set() }))
    return line
  }

  #drop({ name, taken, waiting }: Line): void {
    if (taken === 0 && waiting.size === 0) this.#lines.delete(name)
  }

  #report(): void {
    this.options.onUse({ taken: this.#taken, waiting: this.#waiting })
  }

  #refusal(status: 429 | 503, message: string): CairnError {
    this.options.onRefusal()
    return new CairnError(status, message, { headers: { 'Retry-After': '1' } })
  }
}

function nameOf(party: string, isBulk: boolean): string {
  return `${isBulk ? 'bulk' : 'other'}:${party}`
}

function firstOf({ waiting }: Line): Waiter | undefined {
  const [first] = waiting
  return first
}

function comesBefore(line: Line, other: Line): boolean {
  return line.taken === other.taken ? line.admitted < other.admitted : line.taken < other.taken
}

interface Sighting {
  readonly party: string | null
  readonly at: number
}

const NOBODY: Sighting = { party: null, at: -Infinity }
