import type { Clock } from './clock.js'

/** A lookup that concurrent callers share. */
export interface SharedLookup<T> {
  /** Unix milliseconds at which the lookup started; its result is no older. */
  readonly since: number
  readonly found: Promise<T>
}

/** The lookups that are cached: a Map, a WeakMap or an LRUCache. */
interface SharedLookups<Key, T> {
  get(key: Key): SharedLookup<T> | undefined
  set(key: Key, lookup: SharedLookup<T>): unknown
  delete(key: Key): unknown
}

interface ShareOptions<T> {
  readonly clock: Clock
  readonly maxAgeMs: number
  /** Returns false for a result that the next caller must look up again. Default: every result is cached. */
  readonly isCached?: (found: T) => boolean
}

/**
 * Returns the result of the lookup that started less than `maxAgeMs` ago, or starts one with `look`. A failure is not
 * cached. `fetchMethod` of lru-cache is no substitute: a caller joins a running lookup however old it is, the ttl counts
 * from the lookup's end, and a clock that was set back prolongs it.
 */
export function shareLookup<Key, T>(
  lookups: SharedLookups<Key, T>,
  key: Key,
  look: () => Promise<T>,
  { clock, maxAgeMs, isCached = () => true }: ShareOptions<T>,
): Promise<T> {
  const now = clock.now()
  const known = lookups.get(key)
  // A clock that was set back must not prolong an entry.
  if (known && now >= known.since && now - known.since < maxAgeMs) return known.found
  const lookup = { since: now, found: look() }
  lookups.set(key, lookup)
  const drop = () => {
    if (lookups.get(key) === lookup) lookups.delete(key)
  }
  lookup.found.then((found) => {
    if (!isCached(found)) drop()
  }, drop)
  return lookup.found
}
