import { outdateDue, isOverdue } from '../../store/memories/lifecycle.js'
import { drainTenants } from '../drain-tenants.js'
import type { ScheduledJob } from '../jobs.js'

/** Marks memories as outdated that have expired, or whose validity has ended. Recall leaves expired ones out at once. */
export const outdateMemories: ScheduledJob = {
  everyMs: 60_000,
  async run(context, signal) {
    const due = isOverdue(new Date(context.clock.now()))
    await drainTenants(context, signal, { name: 'outdateMemories', due, work: outdateDue })
  },
}
