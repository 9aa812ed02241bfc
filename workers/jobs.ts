import type { Jobs } from './job.js'
import { analyzeNewTables } from './analyze-new-tables.js'
import {
  compactCounters,
  findLanguages,
  purgeAcknowledgements,
  purgeActivity,
  purgeForge,
  purgeIdempotencyKeys,
  purgePoison,
  purgeSkillOutcomes,
  purgeTombstones,
  renewHashes,
  storeFormerMembers,
  sweepSettled,
} from './clean-up.js'
import { askOpinions } from './enrichment/ask-opinions.js'
import { enrichMemories, isModelReady } from './enrichment/enrich-memories.js'
import { storeScheduledRun } from './forge/forge-jobs.js'
import { fillIndexBuild } from './index-builds/fill-index-build.js'
import { removeIndexBuild } from './index-builds/remove-index-build.js'
import { watchIndexes } from './index-builds/watch-indexes.js'
import { isEmbedderReady } from './indexing/embed-texts.js'
import { embedding, indexing } from './indexing/process-batch.js'
import { DOCUMENTS, MEMORIES } from './indexing/sources.js'
import { archiveMemories, dropRecalls, outdateMemories, purgeMemories } from './lifecycle.js'
import { measureEnrichment, measureIndexing, measureScans } from './measure.js'
import { expireSkills } from './skills/expire-skills.js'
import { rescanSkills } from './skills/rescan-skills.js'
import { scanSkills } from './skills/scan-skills.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Every job of the workers: its queue, when it runs, and what it does. */
export const JOBS = {
  // For claimed rows, which a relay claims in this order. A job gets their ids, and reads them again.
  indexMemories: { queue: 'indexing', rows: 'memory', run: indexing(MEMORIES) },
  indexDocuments: { queue: 'indexing', rows: 'document', run: indexing(DOCUMENTS) },
  embedMemories: { queue: 'indexing', rows: 'vector', isReady: isEmbedderReady, run: embedding(MEMORIES) },
  embedDocuments: { queue: 'indexing', rows: 'document_vector', isReady: isEmbedderReady, run: embedding(DOCUMENTS) },
  scanSkills: { queue: 'scans', rows: 'scan', run: scanSkills },
  // Few, and a person may wait for them; memories are many.
  askOpinions: { queue: 'enrichment', rows: 'opinion', isReady: isModelReady, run: askOpinions },
  enrichMemories: { queue: 'enrichment', rows: 'enrich', isReady: isModelReady, run: enrichMemories },

  // Repeated by BullMQ.
  outdateMemories: { queue: 'lifecycle', repeatedBy: 'queue', everyMs: MINUTE, run: outdateMemories },
  archiveMemories: { queue: 'lifecycle', repeatedBy: 'queue', everyMs: HOUR, run: archiveMemories },
  purgeMemories: { queue: 'lifecycle', repeatedBy: 'queue', everyMs: HOUR, run: purgeMemories },
  dropRecalls: { queue: 'lifecycle', repeatedBy: 'queue', everyMs: HOUR, run: dropRecalls },
  expireSkills: { queue: 'lifecycle', repeatedBy: 'queue', everyMs: HOUR, run: expireSkills },

  // Added by whoever has stored a run, which only wakes the worker, and by a scheduler for each tenant that opted in.
  runForge: { queue: 'forge', triggered: true },
  tickForge: { queue: 'forge', triggered: true, run: storeScheduledRun },

  // Repeated by each process that works on the queue.
  watchIndexes: { queue: 'indexing', repeatedBy: 'process', everyMs: 2 * SECOND, run: watchIndexes },
  fillIndexBuild: { queue: 'indexing', repeatedBy: 'process', everyMs: SECOND, run: fillIndexBuild },
  removeIndexBuild: { queue: 'indexing', repeatedBy: 'process', everyMs: 2 * SECOND, run: removeIndexBuild },
  analyzeNewTables: { queue: 'indexing', repeatedBy: 'process', everyMs: 2 * SECOND, run: analyzeNewTables },
  measureIndexing: { queue: 'indexing', repeatedBy: 'process', everyMs: 10 * SECOND, run: measureIndexing },
  measureScans: { queue: 'scans', repeatedBy: 'process', everyMs: 10 * SECOND, run: measureScans },
  rescanSkills: { queue: 'scans', repeatedBy: 'process', everyMs: HOUR, run: rescanSkills },
  purgeActivity: { queue: 'lifecycle', repeatedBy: 'process', everyMs: HOUR, run: purgeActivity },
  purgeSkillOutcomes: { queue: 'lifecycle', repeatedBy: 'process', everyMs: HOUR, run: purgeSkillOutcomes },
  purgePoison: { queue: 'lifecycle', repeatedBy: 'process', everyMs: HOUR, run: purgePoison },
  measureEnrichment: { queue: 'enrichment', repeatedBy: 'process', everyMs: 10 * SECOND, run: measureEnrichment },
  compactCounters: { queue: 'lifecycle', repeatedBy: 'process', everyMs: SECOND, run: compactCounters },
  renewHashes: { queue: 'lifecycle', repeatedBy: 'process', everyMs: 2 * SECOND, run: renewHashes },
  findLanguages: { queue: 'lifecycle', repeatedBy: 'process', everyMs: 2 * SECOND, run: findLanguages },
  storeFormerMembers: { queue: 'lifecycle', repeatedBy: 'process', everyMs: 2 * SECOND, run: storeFormerMembers },
  sweepSettled: { queue: 'lifecycle', repeatedBy: 'process', everyMs: 2 * SECOND, run: sweepSettled },
  purgeIdempotencyKeys: { queue: 'lifecycle', repeatedBy: 'process', everyMs: 10 * MINUTE, run: purgeIdempotencyKeys },
  purgeAcknowledgements: { queue: 'lifecycle', repeatedBy: 'process', everyMs: HOUR, run: purgeAcknowledgements },
  purgeForge: { queue: 'forge', repeatedBy: 'process', everyMs: HOUR, run: purgeForge },
  purgeTombstones: { queue: 'lifecycle', repeatedBy: 'process', everyMs: HOUR, run: purgeTombstones },
} as const satisfies Jobs
