import { readIndexRows, readLiveRows, type IndexRow } from '../../store/indexing/index-rows.js'
import { memoryEntry } from './index-entry.js'
import type { Indexed } from './indexed.js'
import { linkNames } from './link-names.js'
import { findNearDuplicates } from './near-duplicates.js'

/** The names in their texts are linked before their documents are made, and near ones are looked for once they are searchable. */
export const MEMORIES: Indexed<IndexRow> = {
  space: 'memories',
  kinds: { change: 'memory', vector: 'vector' },
  readRows: readIndexRows,
  entryOf: memoryEntry,
  readLive: readLiveRows,
  prepare: linkNames,
  finish: findNearDuplicates,
}
