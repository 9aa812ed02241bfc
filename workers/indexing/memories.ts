import { readIndexRows, readLiveRows, type IndexRow } from '../../store/indexing/index-rows.js'
import { memoryEntry } from './index-entry.js'
import type { Indexed } from './indexed.js'
import { linkNames } from './link-names.js'
import { findNearDuplicates } from './near-duplicates.js'

/** Links the names in their texts before their documents are built, and finds near duplicates once they are searchable. */
export const MEMORIES: Indexed<IndexRow> = {
  space: 'memories',
  kinds: { change: 'memory', vector: 'vector' },
  readRows: readIndexRows,
  entryOf: memoryEntry,
  readLive: readLiveRows,
  prepare: linkNames,
  finish: findNearDuplicates,
}
