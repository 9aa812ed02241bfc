import { isPastRetention, purgeDue } from '../../store/memories/lifecycle.js'
import { drainTenants } from '../drain-tenants.js'
import type { ScheduledJob } from '../jobs.js'

/** Removes deleted memories for good once their tenant's retention is over. */
export const purgeMemories: ScheduledJob = {
  everyMs: 3600_000,
  async run(context, signal) {
    const due = isPastRetention(new Date(context.clock.now()))
    await drainTenants(context, signal, { name: 'purgeMemories', due, work: purgeDue })
  },
}
