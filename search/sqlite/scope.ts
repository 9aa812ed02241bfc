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
  /** Milliseconds that a search evaluates a caller's condition for a whole tenant (`readPassing`). */
  readonly filterMs: number
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
  /** True where the filter has a condition of the caller's, which may be as slow as its limits allow. */
  readonly isConditional: boolean
  /** Returns the counters of the documents that pass, read at the first call (`readPassing`). */
  readonly passing: () => readonly number[]
  readonly size: number
}
