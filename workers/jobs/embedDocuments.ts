import { inParts } from '../document-parts.js'
import { DOCUMENTS } from '../documents.js'
import { embedBatch } from '../embed-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'

export function embedDocuments(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return inParts(context, batch, (part) => embedBatch(context, DOCUMENTS, part))
}
