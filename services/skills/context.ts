import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import type { Store } from '../../store/store.js'
import type { EnrichmentWork } from '../enrichment-work.js'
import type { SkillScanner } from './skill-scanner.js'

/** The context of writes and reviews of skills. */
export interface SkillContext {
  readonly clock: Clock
  readonly logger: Logger
  readonly store: Store
  /** Scans skills in a thread of this process, for what a person waits for. */
  readonly skillScanner: SkillScanner
  readonly enrichment: EnrichmentWork
}
