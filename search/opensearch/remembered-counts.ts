import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../../runtime/clock.js'

/** Counts over all documents that an audience sees. */
export interface Totals {
  readonly documents: number
  /** Counts terms. */
  readonly averageLength: number
}

/** Says what is known of a search's statistics before the engine is asked. */
export interface KnownCounts {
  /** Returns undefined for a token that is to be counted. */
  countOf(key: string): number | undefined
  /** Returns undefined for an audience whose documents are to be counted. */
  totalsOf(key: string): Totals | undefined
}

/** Time after which it is counted again. */
const MAX_AGE_MS = 60_000
/** Documents with a token that make its count worth remembering, and documents of an audience: the engine looks at each whenever it counts. */
const LEAST_WITH_TOKEN = 200
const LEAST_OF_AUDIENCE = 1_000
/** Estimated size of all that is remembered, of whichever tenants: some 30,000 tokens. */
const MAX_BYTES = 8 * 2 ** 20

/**
 * Remembers large counts for a minute, so that what the engine looks at for the statistics of a search does not grow with the tenant. A
 * token is a term under its tenant and audience (readers.ts), an audience is that of a caller: each says nothing to those who see other
 * documents. What displaces the counts of others has them counted again, and no more.
 */
export class RememberedCounts implements KnownCounts {
  readonly #counts: LRUCache<string, number | Totals>

  constructor({ clock = systemClock }: { readonly clock?: Clock | undefined } = {}) {
    this.#counts = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: (_, key) => 150 + 2 * key.length,
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      perf: { now: () => clock.now() },
    })
  }

  countOf(key: string): number | undefined {
    return this.#counts.get(`token ${key}`) as number | undefined
  }

  totalsOf(key: string): Totals | undefined {
    return this.#counts.get(`audience ${key}`) as Totals | undefined
  }

  /** Remembers the count of a token of just now, if it is large. */
  addCount(key: string, count: number): void {
    if (count >= LEAST_WITH_TOKEN) this.#counts.set(`token ${key}`, count)
  }

  addTotals(key: string, totals: Totals): void {
    if (totals.documents >= LEAST_OF_AUDIENCE) this.#counts.set(`audience ${key}`, totals)
  }
}
