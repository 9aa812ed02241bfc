import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { enrichMemory } from '../enrichment/enrich-memory.js'
import { readEnrichmentRows } from '../../store/enrichment/enrichment-rows.js'

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
