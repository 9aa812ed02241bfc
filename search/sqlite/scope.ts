import type { Corpus } from '../../domain/corpus.js'
import type { Audience } from '../../domain/visibility.js'
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
  readonly filter: Condition
  readonly size: number
}
