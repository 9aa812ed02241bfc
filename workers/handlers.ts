import type { Chores, JobHandlers } from './jobs.js'
import { compactCounters } from './jobs/compactCounters.js'
import { embedMemories } from './jobs/embedMemories.js'
import { indexMemories } from './jobs/indexMemories.js'
import { measureIndexing } from './jobs/measureIndexing.js'
import { purgeIdempotencyKeys } from './jobs/purgeIdempotencyKeys.js'
import { purgeTombstones } from './jobs/purgeTombstones.js'
import { sweepSettled } from './jobs/sweepSettled.js'

export const JOB_HANDLERS: JobHandlers = { indexMemories, embedMemories }

export const CHORES: Chores = {
  compactCounters,
  measureIndexing,
  purgeIdempotencyKeys,
  purgeTombstones,
  sweepSettled,
}
