import { readDocumentSizes } from '../../store/documents/indexed-documents.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'

/**
 * Bytes of JSON that are read, analysed and embedded at once: parsed it takes up to twenty times as much memory, and
 * its terms as much again.
 */
const PART_BYTES = 4 * 1024 * 1024

/**
 * Processes a batch of documents in parts of few bytes: 250 of 256 KiB would take more than a gigabyte. When a part was
 * requeued because of an outage, so is the rest of the batch, and no further part is begun.
 */
export async function processInParts(
  { store }: JobContext,
  batch: BatchPayload,
  work: (part: BatchPayload) => Promise<BatchOutcome>,
): Promise<BatchOutcome> {
  const { tenantId, ids } = batch
  const sizes = await store.read({ tenantId }, (reader) => readDocumentSizes(reader, ids))
  const sum = { settled: 0, failed: 0, released: 0 }
  for (const part of partsOf(ids, sizes)) {
    const { settled, failed, released } = await work({ ...batch, ids: part })
    sum.settled += settled
    sum.failed += failed
    sum.released += released
    if (released > 0) break
  }
  return sum
}

/** Splits the ids into parts; a document that is larger than a part gets one of its own. */
function partsOf(ids: readonly string[], sizes: ReadonlyMap<string, number>): string[][] {
  const parts: string[][] = []
  let left = 0
  for (const id of ids) {
    const size = sizes.get(id) ?? 0
    if (parts.length === 0 || size > left) {
      parts.push([])
      left = PART_BYTES
    }
    parts.at(-1)!.push(id)
    left -= size
  }
  return parts
}
