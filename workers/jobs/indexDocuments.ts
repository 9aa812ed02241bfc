import { processInParts } from '../indexing/document-parts.js'
import { DOCUMENTS } from '../indexing/documents.js'
import { indexBatch } from '../indexing/index-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'

export function indexDocuments(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return processInParts(context, batch, (part) => indexBatch(context, DOCUMENTS, part))
}
