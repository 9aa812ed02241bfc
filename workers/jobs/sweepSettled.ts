import { sweepSettled as sweep } from '../../store/outbox/outbox-upkeep.js'
import type { Chore } from '../jobs.js'

const LIMIT = 5_000

/** Deletes settled rows once no index may lag behind them. */
export const sweepSettled: Chore = {
  queue: 'lifecycle',
  everyMs: 2_000,
  async run({ store }, signal) {
    let swept: number
    do swept = await store.asSystem((system) => sweep(system, { limit: LIMIT }))
    while (swept === LIMIT && !signal.aborted)
  },
}
