import type { Embedder } from '../models/embedder.js'
import type { Clock } from '../runtime/clock.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { Fault } from '../runtime/outage-reasons.js'
import type { SearchIndex } from '../search/search-index.js'
import type { Store } from '../store/store.js'

/** The context of operators' work: the queues, and every index that is built or kept. */
export interface OperatingContext {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: Store
  readonly indexBuildId: string
  readonly index: SearchIndex
  readonly embedder: Embedder
  /** Returns null when the queue answers and accepts jobs, otherwise the fault. Never throws. */
  readonly queueHealth: () => Promise<Fault | null>
  /** Tells the workers of runs of the Forge that are stored. Throws `UnavailableError('queue')`; workers find them later then. */
  readonly publishForgeRuns: (runs: readonly { readonly tenantId: string; readonly runId: string }[]) => Promise<void>
  /** Access to the memory ids in the jobs of each queue that works on the dirty set; both methods throw `UnavailableError('queue')`. */
  readonly queuedIds: readonly {
    readonly queue: string
    forget(ids: readonly string[]): Promise<void>
    mentioning(ids: readonly string[]): Promise<number>
  }[]
  readonly indexBuilds: {
    /** Opens the model that an operator names. Throws InvalidArgumentsError when it cannot be used, UnavailableError while it is unavailable. */
    openModel(name: string): Promise<Pick<Embedder, 'id' | 'dimensions'>>
    /** Returns every index that receives changes: the serving one, one that is being built, and one that is kept. */
    all(): Promise<readonly { readonly index: SearchIndex }[]>
    /** Returns why the serving index is incomplete; null when it is complete. */
    fault(): Fault | null
    /** Reads at once which index serves. */
    refresh(): Promise<void>
  }
}
