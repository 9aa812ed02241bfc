import { readIndexRows, readLiveRows, type IndexRow } from '../../store/indexing/index-rows.js'
import { memoryEntry } from './index-entry.js'
import type { IndexingSource } from './indexing-source.js'
import { linkNames } from './link-names.js'
import { findNearDuplicates } from './near-duplicates.js'

/** Links the names in their texts before their documents are built, and finds near duplicates once they are searchable. */
export const MEMORIES: IndexingSource<IndexRow> = {
  corpus: 'memories',
  kinds: { change: 'memory', vector: 'vector' },
  readRows: readIndexRows,
  entryOf: memoryEntry,
  readLive: readLiveRows,
  prepare: linkNames,
  finish: findNearDuplicates,
}
