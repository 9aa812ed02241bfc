import type { KeystoneSets } from './keystones/keystone-sets.js'
import type { WriteContext } from './memories/context.js'
import type { OperatingContext } from './operating-context.js'
import type { DocumentSearchContext } from './retrieval/documents/search-documents.js'
import type { RecallContext } from './retrieval/memories/context.js'
import type { SkillContext } from './skills/context.js'

/** Dependencies of every operation: created by the composition root for each serving index, and constant during a request. */
export interface ServiceContext
  extends RecallContext, DocumentSearchContext, WriteContext, SkillContext, OperatingContext {
  readonly version: string
  readonly startedAt: number
  readonly keystoneSets: KeystoneSets
  /** Secret that signs cursors, created by the first migration. */
  readonly cursorSecret: Buffer
}
