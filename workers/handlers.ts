import type { Chores, JobHandlers, ScheduledJobs } from './jobs.js'
import { archiveMemories } from './jobs/archiveMemories.js'
import { compactCounters } from './jobs/compactCounters.js'
import { dropRecalls } from './jobs/dropRecalls.js'
import { embedDocuments } from './jobs/embedDocuments.js'
import { embedMemories } from './jobs/embedMemories.js'
import { enrichMemories } from './jobs/enrichMemories.js'
import { fillIndexBuild } from './jobs/fillIndexBuild.js'
import { indexDocuments } from './jobs/indexDocuments.js'
import { indexMemories } from './jobs/indexMemories.js'
import { measureEnrichment } from './jobs/measureEnrichment.js'
import { measureIndexing } from './jobs/measureIndexing.js'
import { outdateMemories } from './jobs/outdateMemories.js'
import { purgeAcknowledgements } from './jobs/purgeAcknowledgements.js'
import { purgeIdempotencyKeys } from './jobs/purgeIdempotencyKeys.js'
import { purgeMemories } from './jobs/purgeMemories.js'
import { purgeTombstones } from './jobs/purgeTombstones.js'
import { removeIndexBuild } from './jobs/removeIndexBuild.js'
import { sweepSettled } from './jobs/sweepSettled.js'
import { watchIndexes } from './jobs/watchIndexes.js'

export const JOB_HANDLERS: JobHandlers = {
  indexMemories,
  embedMemories,
  enrichMemories,
  indexDocuments,
  embedDocuments,
}

export const SCHEDULED_JOBS: ScheduledJobs = { outdateMemories, archiveMemories, purgeMemories, dropRecalls }

export const CHORES: Chores = {
  compactCounters,
  fillIndexBuild,
  measureEnrichment,
  measureIndexing,
  purgeAcknowledgements,
  purgeIdempotencyKeys,
  purgeTombstones,
  removeIndexBuild,
  sweepSettled,
  watchIndexes,
}
