/** Milliseconds of a round trip that are not counted: PostgreSQL on the same machine takes as long, and that is work and not the way. */
const LOCAL_MS = 1
/** Milliseconds after which the shortest round trip is measured anew, as the way may have changed. */
const MEASURED_MS = 10_000

/**
 * Estimates how long callers' transactions wait for the network between this process and PostgreSQL: the number of their round trips times
 * the shortest round trip of the last ten to twenty seconds. Longer ones were delayed by work, here or there.
 */
export class RoundTrips {
  count = 0
  /** Milliseconds on the way, of all round trips that were counted. */
  networkMs = 0
  #since = -Infinity
  #shortest = Infinity
  #shortestBefore = Infinity

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Records how long the answer of a statement took that costs PostgreSQL next to nothing. */
  observe(ms: number): void {
    const now = this.now()
    if (now - this.#since > MEASURED_MS) {
      this.#shortestBefore = now - this.#since > 2 * MEASURED_MS ? Infinity : this.#shortest
      this.#shortest = Infinity
      this.#since = now
    }
    this.#shortest = Math.min(this.#shortest, ms)
  }

  /** Counts a round trip, without its time before the first is measured. */
  add(): void {
    this.count++
    const ms = Math.min(this.#shortest, this.#shortestBefore)
    if (ms !== Infinity) this.networkMs += Math.max(0, ms - LOCAL_MS)
  }
}
