import { dropRecallsBefore } from '../../store/recalls.js'
import type { ScheduledJob } from '../jobs.js'

const RETENTION_MS = 30 * 86_400_000

/** Drops the partitions of days whose recalls are past their retention. */
export const dropRecalls: ScheduledJob = {
  everyMs: 3600_000,
  async run({ store, clock, logger }) {
    const dropped = await store.asSystem((system) => dropRecallsBefore(system, new Date(clock.now() - RETENTION_MS)))
    if (dropped > 0) logger.info({ days: dropped }, 'dropped old recalls')
  },
}
