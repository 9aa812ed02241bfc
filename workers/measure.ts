import { findServingBuild, listUnfinishedBuilds } from '../store/indexing/index-builds.js'
import { readCounts } from '../store/indexing/index-counts.js'
import { readProgress } from '../store/indexing/index-progress.js'
import { readIndexingState, readWaitingState } from '../store/outbox/outbox-upkeep.js'
import type { JobContext } from './context.js'

/**
 * Measures the dirty set, the serving index as it was last counted, and the one that is being built, for the metrics.
 * Counting 500,000 rows takes 90 ms.
 */
export async function measureIndexing({ store, metrics }: JobContext): Promise<void> {
  metrics.indexing(await store.asSystem((system) => readIndexingState(system)))
  const { builds, progress, counts } = await store.asSystem(async (system) => {
    const builds = await listUnfinishedBuilds(system)
    const serving = await findServingBuild(system)
    const unready = builds.find(({ state }) => state === 'waiting' || state === 'backfilling')
    return {
      builds,
      progress: unready && (await readProgress(system, [unready])).get(unready.id),
      counts: serving && (await readCounts(system, serving.id)),
    }
  })
  // One process counts (index-builds/check-index.ts), and every one tells of it.
  if (counts) metrics.indexCounts(counts)
  const states = builds.map(({ state }) => state)
  metrics.builds(states, progress ?? null)
}

/** Measures the rows that the language model has yet to read, for the metrics. */
export async function measureEnrichment({ store, metrics, enrichment }: JobContext): Promise<void> {
  metrics.enrichment(enrichment && (await store.asSystem((system) => readWaitingState(system, 'enrich'))))
}

/** Measures the skills that wait for their scan, for the metrics. */
export async function measureScans({ store, metrics }: JobContext): Promise<void> {
  metrics.unscanned(await store.asSystem((system) => readWaitingState(system, 'scan')))
}
