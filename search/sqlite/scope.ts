import type { Corpus } from '../../domain/corpus.js'
import type { Audience } from '../../domain/visibility.js'
import type { AudienceRange } from '../audiences.js'
import type { BlockShape } from './code-blocks.js'
import type { CodeCache } from './code-cache.js'
import type { Connection } from './connection.js'
import type { Condition } from './filters.js'

/** A file as the reading thread has it. */
export interface SearchedFile {
  readonly connection: Connection
  readonly corpus: Corpus
  readonly codes: CodeCache
  readonly shape: BlockShape
}

/** Arguments that all legs share. */
export interface Scope extends SearchedFile {
  readonly tenant: number
  readonly audience: Audience
  /** Other fleets in which the audience sees what its agent wrote (`fleetsElsewhere`). */
  readonly elsewhere: readonly string[]
  /** Ranges with what the audience sees, each row once (`audienceRanges`). */
  readonly ranges: readonly AudienceRange[]
  readonly filter: Condition
  readonly size: number
}
