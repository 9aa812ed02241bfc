import { inParts } from '../document-parts.js'
import { DOCUMENTS } from '../documents.js'
import { indexBatch } from '../index-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'

export function indexDocuments(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return inParts(context, batch, (part) => indexBatch(context, DOCUMENTS, part))
}
