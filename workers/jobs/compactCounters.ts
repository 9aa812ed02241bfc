import { compactDocumentCounters } from '../../store/documents/collections.js'
import { compactCounters as compact } from '../../store/tenants/counters.js'
import type { Chore } from '../jobs.js'

const LIMIT = 20_000

/** Adds pending counter deltas to the counters, so that reading them stays cheap. */
export const compactCounters: Chore = {
  queue: 'lifecycle',
  everyMs: 1_000,
  async run({ store }, signal) {
    for (const compactTable of [compact, compactDocumentCounters]) {
      let compacted: number | null
      do compacted = await store.asSystem((system) => compactTable(system, { limit: LIMIT }))
      while (compacted !== null && compacted >= LIMIT && !signal.aborted)
    }
  },
}
