import { documentLanguage } from '../domain/documents/text.js'
import type { Yielding } from '../domain/yielding.js'
import { Slices } from '../runtime/slices.js'
import { compactDocumentCounters } from '../store/documents/collections.js'
import { readFormerDocuments, storeFormerMembers as storeMembersOf } from '../store/documents/former-members.js'
import {
  type ReadDocument,
  readUnreadDocuments,
  storeDocumentLanguages,
  type UnreadDocument,
} from '../store/documents/former-languages.js'
import { purgeActivity as purgeActivityOf } from '../store/memories/activity.js'
import { purgeRuns } from '../store/forge/runs.js'
import { purgeTraces } from '../store/forge/traces.js'
import { findLanguages as findMemoryLanguages } from '../store/memories/find-languages.js'
import { type ReadMemory, readUnreadMemories, storeMemoryLanguages } from '../store/memories/former-languages.js'
import { renewHashes as renewContentHashes } from '../store/memories/former-hashes.js'
import { purgeAcknowledgements as purgeAcknowledgementsBefore } from '../store/keystones/acknowledgements.js'
import { hasBacklog, sweepSettled as sweepSettledRows } from '../store/outbox/outbox-upkeep.js'
import { purgeOutcomes } from '../store/skills/outcomes.js'
import { purgePoison as purgePoisonUntil } from '../store/skills/poison.js'
import type { System } from '../store/store.js'
import { compactCounters as compactMemoryCounters } from '../store/tenants/counters.js'
import { purgeIdempotencyKeys as purgeKeysDueAt } from '../store/tenants/idempotency.js'
import { readLanguageCounts } from '../store/tenants/language-counts.js'
import type { JobContext } from './context.js'

const HOUR_MS = 3600_000
const PURGED_ROWS = 5_000
const COMPACTED_ROWS = 20_000
/** Memories that are renewed at once, and so wait to be indexed. */
const RENEWED_ROWS = 400
/** Rows at once, which then wait to be indexed: 50 documents of the largest size have 13 MB of JSON. */
const FORMER_ROWS = { memory: RENEWED_ROWS, document: 50 } as const
/** Waiting rows beyond which no former ones are added: together with a batch they are no more than the 500 that a search reads. */
const MOST_WAITING = 100
const RUNS_KEPT_MS = 90 * 24 * HOUR_MS
/** Longer than the longest window of the Forge, in which a run would store outcomes of traces again. */
const OUTCOMES_KEPT_MS = 366 * 24 * HOUR_MS
const ACTIVITY_KEPT_MS = 400 * 24 * HOUR_MS
const ACKNOWLEDGEMENTS_KEPT_MS = 90 * 24 * HOUR_MS
/**
 * Time that a tombstone is kept against older documents still being written: far longer than any lease, any wait in the
 * queue, any retried call.
 */
const TOMBSTONES_KEPT_MS = 24 * HOUR_MS

/** Adds pending counter deltas to the counters, so that reading them stays cheap. */
export async function compactCounters({ store }: JobContext, signal: AbortSignal): Promise<void> {
  for (const compact of [compactMemoryCounters, compactDocumentCounters])
    await repeatWhileFull(store, signal, COMPACTED_ROWS, (system, limit) => compact(system, { limit }))
}

/**
 * Brings memories of an earlier version to the current form of their content hashes, and has those with lists in their
 * metadata indexed again, while few others wait to be. Has nothing to do once all are done.
 */
export async function renewHashes({ store, logger }: JobContext, signal: AbortSignal): Promise<void> {
  let total = 0
  await repeatWhileFull(store, signal, RENEWED_ROWS, async (system, limit) => {
    if (await hasBacklog(system, 'memory', MOST_WAITING)) return 0
    const { renewed } = await renewContentHashes(system, { limit })
    total += renewed
    return renewed
  })
  if (total > 0) logger.info({ renewed: total }, 'content hashes renewed')
}

/**
 * Finds the languages of memories and documents of an earlier version, and has these indexed again, while few others wait to
 * be. Has nothing to do once all are done.
 */
export async function findLanguages(
  { store, logger }: Pick<JobContext, 'store' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  const memories = await sumUntilNone(signal, () => findLanguagesOfMemories(store))
  const documents = await sumUntilNone(signal, () => findLanguagesOfDocuments(store))
  if (memories + documents > 0) logger.info({ memories, documents }, 'languages found')
}

/** Finds the languages of some memories as a write does, and returns their number, as `storeMembersOfSome` does. */
async function findLanguagesOfMemories(store: JobContext['store']): Promise<number> {
  const memories = await readUnlessBehind(store, 'memory', readUnreadMemories)
  const read: ReadMemory[] = []
  for (const tenantId of new Set(memories.map((memory) => memory.tenantId))) {
    const texts = memories.filter((memory) => memory.tenantId === tenantId)
    const found = await store.read({ tenantId }, async (reader) =>
      findMemoryLanguages(reader, texts, await readLanguageCounts(reader)),
    )
    read.push(...texts.map((memory, i) => ({ ...memory, language: found[i]! })))
  }
  return read.length === 0 ? 0 : store.asSystem((system) => storeMemoryLanguages(system, read))
}

/** Finds the languages of some documents, and returns their number, as `storeMembersOfSome` does. */
async function findLanguagesOfDocuments(store: JobContext['store']): Promise<number> {
  const documents = await readUnlessBehind(store, 'document', readUnreadDocuments)
  const read = await new Slices().run(languagesOf(documents))
  return read.length === 0 ? 0 : store.asSystem((system) => storeDocumentLanguages(system, read))
}

function* languagesOf(documents: readonly UnreadDocument[]): Yielding<ReadDocument[]> {
  const read: ReadDocument[] = []
  for (const document of documents) {
    read.push({ ...document, language: documentLanguage(document.data) })
    yield
  }
  return read
}

/**
 * Stores the members of the lists in documents of an earlier version, and has these indexed again, while few others wait
 * to be. Has nothing to do once all are done.
 */
export async function storeFormerMembers({ store, logger }: JobContext, signal: AbortSignal): Promise<void> {
  const total = await sumUntilNone(signal, () => storeMembersOfSome(store))
  if (total > 0) logger.info({ documents: total }, 'members of lists stored')
}

/**
 * Stores the members of some documents, and returns their number: 0 when none are left, too many rows wait, or others have those that
 * were read in hand. Reads them in a transaction of its own, so that their locks are held by one statement alone.
 */
async function storeMembersOfSome(store: JobContext['store']): Promise<number> {
  const documents = await readUnlessBehind(store, 'document', readFormerDocuments)
  return documents.length === 0 ? 0 : store.asSystem((system) => storeMembersOf(system, documents))
}

/** Reads some memories or documents of an earlier version, or none while many others wait to be indexed. */
function readUnlessBehind<Row>(
  store: JobContext['store'],
  kind: keyof typeof FORMER_ROWS,
  read: (system: System, page: { limit: number }) => Promise<Row[]>,
): Promise<Row[]> {
  return store.asSystem(async (system) => {
    const isBehind = await hasBacklog(system, kind, MOST_WAITING)
    return isBehind ? [] : read(system, { limit: FORMER_ROWS[kind] })
  })
}

/** Repeats a batch until it had nothing to do, and returns the sum of what it did. */
async function sumUntilNone(signal: AbortSignal, batch: () => Promise<number>): Promise<number> {
  let total = 0
  let done: number
  do {
    done = await batch()
    total += done
  } while (done > 0 && !signal.aborted)
  return total
}

/** Deletes settled rows once no index may lag behind them. */
export function sweepSettled({ store }: JobContext, signal: AbortSignal): Promise<void> {
  return repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) => sweepSettledRows(system, { limit }))
}

/** Deletes stored responses of idempotent requests whose window is over. */
export function purgeIdempotencyKeys({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  return repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) =>
    purgeKeysDueAt(system, { now: new Date(clock.now()), limit }),
  )
}

/** Deletes acknowledgements of keystone sets that are 90 days old or older; an agent's last one stays. */
export function purgeAcknowledgements({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now() - ACKNOWLEDGEMENTS_KEPT_MS)
  return repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) =>
    purgeAcknowledgementsBefore(system, { before, limit }),
  )
}

/** Deletes what was rejected so long ago that it may be proposed again. */
export function purgePoison({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  return repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) =>
    purgePoisonUntil(system, { now: new Date(clock.now()), limit }),
  )
}

/** Deletes what agents said of skills longer ago than the longest window of the Forge. */
export function purgeSkillOutcomes({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now() - OUTCOMES_KEPT_MS)
  return repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) => purgeOutcomes(system, { before, limit }))
}

/** Deletes counts of what happened to memories longer ago than a year and some weeks. */
export function purgeActivity({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now() - ACTIVITY_KEPT_MS)
  return repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) => purgeActivityOf(system, { before, limit }))
}

/** Deletes runs of the Forge that ended 90 days ago, and outcomes of traces that no window has any more. */
export async function purgeForge({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  for (const [purge, keptMs] of [
    [purgeRuns, RUNS_KEPT_MS],
    [purgeTraces, OUTCOMES_KEPT_MS],
  ] as const) {
    const before = new Date(clock.now() - keptMs)
    await repeatWhileFull(store, signal, PURGED_ROWS, (system, limit) => purge(system, { before, limit }))
  }
}

/** Physically removes from the index what was deleted long ago. */
export async function purgeTombstones({ indexes, clock, logger }: JobContext): Promise<void> {
  const before = clock.now() - TOMBSTONES_KEPT_MS
  let purged = 0
  for (const { index } of await indexes.targets()) purged += await index.purgeTombstones(before)
  if (purged > 0) logger.info({ purged }, 'removed tombstones from the index')
}

/**
 * Works in transactions of at most `limit` rows until one does fewer, or the signal is aborted. A transaction returns
 * null when another process has the work.
 */
async function repeatWhileFull(
  store: JobContext['store'],
  signal: AbortSignal,
  limit: number,
  work: (system: System, limit: number) => Promise<number | null>,
): Promise<void> {
  let done: number | null
  do done = await store.asSystem((system) => work(system, limit))
  while (done !== null && done >= limit && !signal.aborted)
}
