import { readWaitingState } from '../../store/outbox/outbox-upkeep.js'
import type { Chore } from '../jobs.js'

/** Measures the rows that the language model has yet to read, for the metrics. */
export const measureEnrichment: Chore = {
  queue: 'enrichment',
  everyMs: 10_000,
  async run({ store, metrics, enrichment }) {
    metrics.enrichment(enrichment && (await store.asSystem((system) => readWaitingState(system, 'enrich'))))
  },
}
