import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../../runtime/clock.js'

/** Time after which a token is counted again. */
const MAX_AGE_MS = 60_000
/** Documents with a token that make its count worth remembering: the engine looks at each of them whenever it counts them. */
const LEAST = 200
/** Estimated size of all counts of an index, of whichever tenants: those of some 30,000 tokens. */
const MAX_BYTES = 8 * 2 ** 20

/**
 * Remembers for a minute how many documents have a token, where these are many, so that the engine does not look at thousands of them at
 * every search. A token is a term under its tenant and audience (readers.ts): callers share a count only where they see the same
 * documents. What displaces the counts of others has them counted again, and no more.
 */
export class RememberedCounts {
  readonly #counts: LRUCache<string, number>

  constructor({ clock = systemClock }: { readonly clock?: Clock | undefined } = {}) {
    this.#counts = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: (_, key) => 150 + 2 * key.length,
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      perf: { now: () => clock.now() },
    })
  }

  /** Returns undefined for a token that is to be counted. */
  countOf(key: string): number | undefined {
    return this.#counts.get(key)
  }

  /** Remembers a count of just now, if it is large. */
  add(key: string, count: number): void {
    if (count >= LEAST) this.#counts.set(key, count)
  }
}
