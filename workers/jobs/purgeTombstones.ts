import type { Chore } from '../jobs.js'

/**
 * Time that a tombstone is kept against older documents still being written: far longer than any lease, any wait in the
 * queue, any retried call.
 */
const RETENTION_MS = 24 * 3600_000

/** Physically removes from the index what was deleted long ago. */
export const purgeTombstones: Chore = {
  queue: 'lifecycle',
  everyMs: 3600_000,
  async run({ indexes, clock, logger }) {
    let purged = 0
    for (const { index } of await indexes.targets()) purged += await index.purgeTombstones(clock.now() - RETENTION_MS)
    if (purged > 0) logger.info({ purged }, 'removed tombstones from the index')
  },
}
