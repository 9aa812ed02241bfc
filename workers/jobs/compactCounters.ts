import { compactDocumentCounters } from '../../store/documents/collections.js'
import { compactCounters as compact } from '../../store/tenants/counters.js'
import type { Chore } from '../jobs.js'

const LIMIT = 20_000

/** Adds pending counter deltas to the counters, so that reading them stays cheap. */
export const compactCounters: Chore = {
  queue: 'lifecycle',
  everyMs: 1_000,
  async run({ store }, signal) {
    for (const fold of [compact, compactDocumentCounters]) {
      let folded: number | null
      do folded = await store.asSystem((system) => fold(system, { limit: LIMIT }))
      while (folded !== null && folded >= LIMIT && !signal.aborted)
    }
  },
}
