import { purgeAcknowledgements as purge } from '../../store/keystones/acknowledgements.js'
import type { Chore } from '../jobs.js'

const LIMIT = 5_000
const RETENTION_MS = 90 * 24 * 3600_000

/** Deletes acknowledgements of keystone sets that are 90 days old or older; an agent's last one stays. */
export const purgeAcknowledgements: Chore = {
  queue: 'lifecycle',
  everyMs: 60 * 60_000,
  async run({ store, clock }, signal) {
    const before = new Date(clock.now() - RETENTION_MS)
    let purged: number
    do purged = await store.asSystem((system) => purge(system, { before, limit: LIMIT }))
    while (purged === LIMIT && !signal.aborted)
  },
}
