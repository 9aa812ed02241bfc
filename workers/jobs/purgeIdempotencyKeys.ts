import { purgeIdempotencyKeys as purge } from '../../store/tenants/idempotency-purge.js'
import type { Chore } from '../jobs.js'

const LIMIT = 5_000

/** Deletes stored responses of idempotent requests whose window is over. */
export const purgeIdempotencyKeys: Chore = {
  queue: 'lifecycle',
  everyMs: 10 * 60_000,
  async run({ store, clock }, signal) {
    let purged: number
    do purged = await store.asSystem((system) => purge(system, { now: new Date(clock.now()), limit: LIMIT }))
    while (purged === LIMIT && !signal.aborted)
  },
}
