import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../../runtime/clock.js'
import type { Totals } from '../audiences.js'

/** Time after which the documents with a token are counted again. */
const MAX_AGE_OF_TOKEN_MS = 60_000
/** Time after which those of an audience are: a load may add ten thousand meanwhile, and the engine counts a million in 40 ms. */
const MAX_AGE_OF_AUDIENCE_MS = 10_000
/** Documents with a token that make their number worth remembering: the engine looks at each of them whenever it counts them. */
const LEAST_OF_TOKEN = 200
/**
 * Documents of an audience that make their number worth remembering. It is the higher one, because a fleet that begins to write soon grows by a
 * multiple, and its rare terms would seem common meanwhile.
 */
const LEAST_OF_AUDIENCE = 5_000
/** Estimated size of the counts of each kind in an index, of whichever tenants: those of some 40,000 tokens. */
const MAX_BYTES = 8 * 2 ** 20

/**
 * Remembers how many documents have a token, and how many an audience reads, where these are many, so that the engine does not look at thousands
 * of them at every search. A token is a term under its tenant and audience (readers.ts): callers share a count only where they see the same
 * documents. A count that is evicted is counted again.
 */
export class RememberedCounts {
  readonly #tokens: LRUCache<string, number>
  readonly #audiences: LRUCache<string, Totals>

  constructor({ clock = systemClock }: { readonly clock?: Clock | undefined } = {}) {
    this.#tokens = cacheOf(clock, MAX_AGE_OF_TOKEN_MS)
    this.#audiences = cacheOf(clock, MAX_AGE_OF_AUDIENCE_MS)
  }

  /** Returns the number of documents with a token, by its key (`CountedToken`); undefined where it is to be counted. */
  ofToken(key: string): number | undefined {
    return this.#tokens.get(key)
  }

  /** Remembers a count of just now, if it is large. */
  addToken(key: string, count: number): void {
    if (count >= LEAST_OF_TOKEN) this.#tokens.set(key, count)
  }

  /** Returns the totals of an audience, by its token among the `readers`; undefined where they are to be counted. */
  ofAudience(token: string): Totals | undefined {
    return this.#audiences.get(token)
  }

  /** Remembers totals of just now, if they are large. */
  addAudience(token: string, totals: Totals): void {
    if (totals.documents >= LEAST_OF_AUDIENCE) this.#audiences.set(token, totals)
  }
}

function cacheOf<Count extends object | number>(clock: Clock, ttl: number): LRUCache<string, Count> {
  return new LRUCache<string, Count>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, key) => 150 + 2 * key.length,
    ttl,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  })
}
