import type { JobContext } from '../context.js'
import type { BatchOutcome, BatchPayload } from '../job.js'
import { readEnrichmentRows } from '../../store/enrichment/enrichment-rows.js'
import { enrichMemory } from './enrich-memory.js'

/**
 * Has the language model read the memories of a batch, one after another, and fills in what callers left empty.
 * Processing a batch twice, or late, changes nothing: a text that was read is not read again.
 */
export async function enrichMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { tenantId, ticket, ids } = batch
  const rows = await context.store.read({ tenantId }, (reader) => readEnrichmentRows(reader, ticket, ids))
  const outcome = { settled: 0, failed: 0, released: 0 }
  for (const row of rows) outcome[await enrichMemory(context, batch, row)]++
  return outcome
}

export function isModelReady({ enrichment }: JobContext): boolean {
  return enrichment !== null && enrichment.languageModel.health().available
}
