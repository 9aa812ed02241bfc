import type { Embedder } from '../../models/embedder.js'
import type { QueryVectors } from '../../models/query-vectors.js'
import type { Clock } from '../../runtime/clock.js'
import type { Metrics } from '../../runtime/metrics.js'
import type { SearchIndex } from '../../search/search-index.js'
import type { Store } from '../../store/store.js'
import type { TenantLanguages } from '../memories/tenant-languages.js'

/** The context of every search: PostgreSQL, the serving index, and the vectors of queries. */
export interface SearchContext {
  readonly clock: Clock
  readonly metrics: Metrics
  readonly store: Store
  readonly tenantLanguages: TenantLanguages
  readonly indexBuildId: string
  readonly index: SearchIndex
  readonly embedder: Embedder
  readonly queryVectors: QueryVectors
}
