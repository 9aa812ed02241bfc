import { processInParts } from '../indexing/document-parts.js'
import { DOCUMENTS } from '../indexing/documents.js'
import { embedBatch } from '../indexing/embed-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'

export function embedDocuments(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return processInParts(context, batch, (part) => embedBatch(context, DOCUMENTS, part))
}
