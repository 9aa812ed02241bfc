import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/clock.js'
import type { Bucket, Limit, LimitStore, Taken, Window } from './limit-store.js'

/**
 * Of each kind. A flood from more addresses than this makes the store forget the buckets that were not asked for longest, which
 * then are full again: memory stays bounded (some 10 MB), and whoever calls often is never among them.
 */
const MOST_KEPT = 50_000

/** Counts for this process alone. */
export class MemoryLimitStore implements LimitStore {
  /** When each bucket will be full again: the theoretical arrival time of the generic cell rate algorithm. */
  readonly #fullAt = new LRUCache<string, number>({ max: MOST_KEPT })
  readonly #used = new LRUCache<string, { readonly startedAt: number; count: number }>({ max: MOST_KEPT })

  constructor(readonly clock: Clock) {}

  take(limits: readonly Limit[]): Promise<readonly Taken[]> {
    const taken: Taken[] = []
    for (const limit of limits) {
      const one = limit.kind === 'bucket' ? this.#takeFromBucket(limit) : this.#takeFromWindow(limit)
      taken.push(one)
      if (!one.allowed) break
    }
    return Promise.resolve(taken)
  }

  giveBack({ key, startedAt }: Window): Promise<void> {
    const known = this.#used.get(key)
    if (known?.startedAt === startedAt && known.count > 0) known.count--
    return Promise.resolve()
  }

  /** How many buckets and windows are remembered. */
  get size(): number {
    return this.#fullAt.size + this.#used.size
  }

  #takeFromBucket({ key, perSecond, burst }: Bucket): Taken {
    const now = this.clock.now()
    const apart = 1_000 / perSecond
    const known = this.#fullAt.get(key) ?? now
    // Later than an empty bucket's: the clock was put back, and must not keep anybody out.
    const fullAt = known > now + burst * apart ? now : Math.max(known, now)
    if (fullAt - now > (burst - 1) * apart) return { allowed: false, used: 0 }
    this.#fullAt.set(key, fullAt + apart)
    return { allowed: true, used: 0 }
  }

  #takeFromWindow({ key, limit, startedAt }: Window): Taken {
    let known = this.#used.get(key)
    if (known?.startedAt !== startedAt) this.#used.set(key, (known = { startedAt, count: 0 }))
    if (known.count >= limit) return { allowed: false, used: known.count }
    known.count++
    return { allowed: true, used: known.count }
  }
}
