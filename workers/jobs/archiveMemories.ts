import { archiveDue, isIdleFor } from '../../store/memories/lifecycle.js'
import { readDistinctValues } from '../../store/tenants/settings.js'
import { drainTenants } from '../drain-tenants.js'
import type { ScheduledJob } from '../jobs.js'

/** Archives live memories of little weight that nobody has recalled for long, unless their tenant has switched that off. */
export const archiveMemories: ScheduledJob = {
  everyMs: 3600_000,
  async run(context, signal) {
    const { store, clock } = context
    const settings = await store.asSystem((system) => readDistinctValues(system, 'memory', 'archive_after_days'))
    for (const days of settings.filter((days) => days > 0)) {
      const due = isIdleFor(days, new Date(clock.now()))
      await drainTenants(context, signal, { name: 'archiveMemories', due, work: archiveDue })
    }
  },
}
