import type { ServiceContext } from '../services/context.js'
import { checkDependencies } from '../api/probes/dependencies.js'
import type { Metrics } from '../runtime/metrics.js'
import type { Store } from '../store/store.js'
import type { JobQueue } from '../workers/queue.js'

interface ScrapedParts {
  readonly role: string
  readonly current: () => ServiceContext
  readonly store: Store
  readonly queues: readonly ({ readonly queue: string } & Pick<JobQueue, 'counts'>)[]
}

/** Sets the gauges that are read at each scrape instead of being counted. */
export function reportOnScrape(metrics: Metrics, { role, current, store, queues }: ScrapedParts): void {
  metrics.runs(current().version, role)
  metrics.onScrape(() => {
    for (const [name, use] of Object.entries(store.poolUse())) metrics.pool(name, use)
  })
  metrics.onScrape(async () => {
    const states = await checkDependencies(current())
    metrics.dependencies(states.map(({ dependency, fault }) => ({ dependency, reason: fault?.reason ?? null })))
  })
  for (const { queue, counts } of queues)
    metrics.onScrape(async () => metrics.queue(queue, await counts().catch(() => null)))
}
