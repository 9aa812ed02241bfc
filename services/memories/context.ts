import type { Clock } from '../../runtime/clock.js'
import type { Store } from '../../store/store.js'
import type { LastSeenTracker } from '../agents/last-seen-tracker.js'

/** The context of writes of memories. */
export interface WriteContext {
  readonly clock: Clock
  readonly store: Store
  readonly enrichment: {
    /** True when this process queues what it writes for enrichment. */
    readonly enabled: boolean
    /** A tenant's daily token budget; null for no limit. */
    readonly tokensPerDay: number | null
  }
  readonly lastSeenTracker: LastSeenTracker
}
