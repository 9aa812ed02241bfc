import { archiveDue, idle } from '../../store/memories/lifecycle.js'
import { drainTenants } from '../drain-tenants.js'
import type { ScheduledJob } from '../jobs.js'

const DAY_MS = 86_400_000

/** Live memories of little weight that nobody has recalled for long are archived, unless this is switched off. */
export const archiveMemories: ScheduledJob = {
  everyMs: 3600_000,
  async run(context, signal) {
    const { archiveAfterDays } = context.lifecycle
    if (archiveAfterDays === 0) return
    const due = idle(new Date(context.clock.now() - archiveAfterDays * DAY_MS))
    await drainTenants(context, signal, { name: 'archiveMemories', due, work: archiveDue })
  },
}
