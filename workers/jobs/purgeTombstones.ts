import type { Chore } from '../jobs.js'

/**
 * How long a tombstone stands against older documents that are still on their way: far longer than any lease, any wait in the
 * queue, any retried call.
 */
const KEPT_MS = 24 * 3600_000

/** Physically removes what was deleted from the index long ago. */
export const purgeTombstones: Chore = {
  queue: 'lifecycle',
  everyMs: 3600_000,
  async run({ indexes, clock, logger }) {
    let purged = 0
    for (const { index } of await indexes.targets()) purged += await index.purgeTombstones(clock.now() - KEPT_MS)
    if (purged > 0) logger.info({ purged }, 'removed tombstones from the index')
  },
}
