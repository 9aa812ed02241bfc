import { embedBatch } from '../indexing/embed-batch.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { MEMORIES } from '../indexing/memories.js'

export function embedMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  return embedBatch(context, MEMORIES, batch)
}
