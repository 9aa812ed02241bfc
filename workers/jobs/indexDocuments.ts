import { DOCUMENTS } from '../documents.js'
import { indexBatch } from '../index-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'

export function indexDocuments(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return indexBatch(context, DOCUMENTS, batch)
}
