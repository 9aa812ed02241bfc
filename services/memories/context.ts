import type { Clock } from '../../runtime/clock.js'
import type { Store } from '../../store/store.js'
import type { EnrichmentWork } from '../enrichment-work.js'
import type { TenantLanguages } from './tenant-languages.js'
import type { LastSeenTracker } from '../agents/last-seen-tracker.js'

/** The context of writes of memories. */
export interface WriteContext {
  readonly clock: Clock
  readonly store: Store
  readonly enrichment: EnrichmentWork
  readonly lastSeenTracker: LastSeenTracker
  readonly tenantLanguages: TenantLanguages
}
