import { indexBatch } from '../indexing/index-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { MEMORIES } from '../indexing/memories.js'

export function indexMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return indexBatch(context, MEMORIES, batch)
}
