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
  /** Requests of one line that wait outside, or to come back; while there are as many, none that may go there is begun. Default: any number. */
  readonly outside?: number
  readonly onUse: (use: { readonly taken: number; readonly waiting: number; readonly outside: number }) => void
  readonly onRefusal: () => void
  /** Bounds the wait for a permit; Infinity: until the signal is aborted. */
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
  /** True when it may wait for something outside of the process. Default false. */
  readonly goesOutside?: boolean
  readonly signal: AbortSignal
}

/** What a request was given of the whole. */
export interface Place {
  /** Gives back what is more than `amount`. */
  keep(amount: number): void
  /** Gives it to the next; once is enough, more often does nothing. */
  leave(): void
  /**
   * Settles as `work` does, and gives this to the next meanwhile: `work` waits for something outside of the process. Afterwards as much is
   * taken again, before any request of the same line that has not begun: nobody is refused who comes back, and only the signal ends the
   * wait. Throws the signal's reason then, and nothing is held.
   */
  waitOutside<T>(work: Promise<T>): Promise<T>
}

/** A share of the whole, held by a request until it lets go of it. */
type Holding = Pick<Place, 'keep' | 'leave'>

/** Requests of one party that are treated alike: its bulk writes, or all others, which so need not wait behind them. */
interface Line {
  readonly name: string
  readonly party: string
  taken: number
  /** The how manieth admission its last one was; 0 for none since it had nothing to do. */
  admitted: number
  /** Requests that have begun and wait outside, or to come back. */
  outside: number
  /** In the order in which they came: those that come back, and those that have not begun. */
  readonly returning: Set<Waiter>
  readonly waiting: Set<Waiter>
}

interface Waiter {
  readonly amount: number
  readonly goesOutside: boolean
  held: Holding | null
  onAdmitted: (held: Holding) => void
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
  #outside = 0
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
  async enter({ party, isBulk, goesOutside = false, signal }: Turn, amount = 1): Promise<Place> {
    signal.throwIfAborted()
    this.#see(party)
    const line = this.#lineOf(party, isBulk)
    const waiter: Waiter = { amount, goesOutside, held: null, onAdmitted: () => undefined }
    this.#join(line.waiting, waiter)
    if (waiter.held) return this.#placeOf(line, waiter.held, amount, signal)
    if (line.waiting.size > this.options.queue) {
      this.#withdraw(line, waiter)
      throw this.#refusal(429, 'Too many requests of this caller are under way at a time.')
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
          // Of several that are waited for at once, the last brings the request back.
          if (--outside === 0 && !isOver) held = await this.#comeBack(line, kept, signal)
          else this.#leaveOutside(line)
          // What happened while it waited to come back.
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
      const late = () => fail(this.#refusal(503, 'The service is busy, and did not come to this request in time.'))
      const timer = waitMs === Infinity ? undefined : setTimeout(late, waitMs)
      signal.addEventListener('abort', giveUp, { once: true })
      waiter.onAdmitted = (held) => {
        stop()
        resolve(held)
      }
    })
  }

  /** Whoever waited behind it may have their turn. */
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

  /** Whoever comes back is before whoever has not begun. */
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
