import { findServingBuild } from '../../store/indexing/index-builds.js'
import {
  claimBuild,
  type ClaimedBuild,
  endTenant,
  enqueueVectors,
  failBuild,
  finishBackfill,
  nextTenant,
  releaseBuild,
  renewBuild,
  saveBackfillProgress,
  startBackfill,
  type TenantBackfill,
} from '../../store/indexing/index-backfill.js'
import { storeAnalysedTexts } from '../../store/indexing/analysed-texts.js'
import { scanRows } from '../../store/indexing/index-counts.js'
import { enqueue, type FailedAttempt, type RowSeq } from '../../store/outbox/outbox.js'
import type { IndexTarget, JobContext } from '../context.js'
import { describeFailure } from '../failures.js'
import { type EmbeddedTexts, embedTexts } from '../indexing/embed-texts.js'
import type { IndexEntry } from '../../services/indexing/index-entries.js'
import { buildEntries, DOCUMENTS, type IndexingSource, MEMORIES } from '../indexing/sources.js'
import { makeIndex, type TenantCorpus, writeEntries } from '../indexing/write-index.js'
import { countBoth } from './check-index.js'

/**
 * Number of rows that are read, embedded and written before the cursor is saved; they are written in parts,
 * concurrently.
 */
const PART_ROWS = 250
const PAGE_ROWS = 4 * PART_ROWS
/** Number of backfills of one tenant, after which an operator must find out why its count is wrong. */
const MAX_ROUNDS = 3
/** A third of the lease. */
const RENEW_MS = 5_000

/**
 * Creates and fills the index that is being built, in whichever process claims it; another process continues what one
 * leaves unfinished.
 */
export async function fillIndexBuild(context: JobContext, signal: AbortSignal): Promise<void> {
  const { store, options, indexes } = context
  const build = await store.asSystem((system) => claimBuild(system, 'fill'))
  if (build === null) return
  let blockedBy: string | null = null
  // A page may take longer than the lease; a lost lease is noticed when the cursor is saved.
  const renewal = setInterval(
    () => void store.asSystem((system) => renewBuild(system, build)).catch(() => undefined),
    RENEW_MS,
  ).unref()
  try {
    const target = await indexes.open(build)
    if (build.madeAt === null) await makeIndex(store, target)
    if (!(await store.asSystem((system) => startBackfill(system, build, options.leaseMs)))) return
    blockedBy = await backfillIndex({ context, build, target, signal })
  } catch (error) {
    blockedBy = describeFailure(error)
    throw error
  } finally {
    clearInterval(renewal)
    await store.asSystem((system) => releaseBuild(system, build, blockedBy))
  }
}

/** Ends the backfill for now: something is unavailable, or another process has the build. */
class Interrupted extends Error {
  constructor(readonly blockedBy: string | null) {
    super(blockedBy ?? 'another process has the build')
  }
}

interface Backfill {
  readonly context: JobContext
  readonly build: ClaimedBuild
  readonly target: IndexTarget
  readonly signal: AbortSignal
}

/**
 * Fills the build's index tenant by tenant, from its saved cursor, until it is ready, has failed, or the signal is
 * aborted. Returns the reason why it waits, or null.
 */
async function backfillIndex(backfill: Backfill): Promise<string | null> {
  const { context, build, signal } = backfill
  const { store, logger } = context
  try {
    while (!signal.aborted) {
      const tenant = await store.asSystem((system) => nextTenant(system, build))
      if (tenant === null) {
        await store.asSystem((system) => finishBackfill(system, build))
        logger.info({ build: build.id, model: build.model, switches: build.autoSwitch }, 'the index is filled')
        return null
      }
      const isFilled =
        tenant.corpus === 'memories'
          ? await backfillTenant(backfill, MEMORIES, tenant)
          : await backfillTenant(backfill, DOCUMENTS, tenant)
      if (isFilled) await checkTenant(backfill, tenant)
    }
    return null
  } catch (error) {
    if (error instanceof Interrupted) return error.blockedBy
    throw error
  }
}

/** Returns false when it was stopped before the end. */
async function backfillTenant<Row extends RowSeq>(
  backfill: Backfill,
  source: IndexingSource<Row>,
  { tenantId, lastId, untilId: until }: TenantBackfill,
): Promise<boolean> {
  const { context, build, signal } = backfill
  // Embedding a thousand texts by a remote embedder may take half a minute, for which a stop would have to wait.
  const limit = backfill.target.embedder.inline ? PAGE_ROWS : PART_ROWS
  for (let after = lastId; ;) {
    if (signal.aborted) return false
    const rows = await context.store.read({ tenantId }, (reader) => source.readLive(reader, { after, until, limit }))
    if (rows.length === 0) return true
    await fillPage(backfill, tenantId, source, rows)
    after = rows.at(-1)!.id
    const page = { tenantId, corpus: source.corpus, lastId: after, count: rows.length }
    if (!(await context.store.asSystem((system) => saveBackfillProgress(system, build, page))))
      throw new Interrupted(null)
  }
}

/** Writes the documents of a page, and what ranking reads of their texts; what cannot be written is left to the jobs. */
async function fillPage<Row extends RowSeq>(
  backfill: Backfill,
  tenantId: string,
  source: IndexingSource<Row>,
  rows: readonly Row[],
): Promise<void> {
  const { context, target } = backfill
  const { done: entries, failures } = await buildEntries(source, rows)
  const texts = await embedTexts(
    context,
    target.embedder,
    tenantId,
    entries.map(({ text }) => text),
  )
  if (texts.isAnyWaiting && !(await replacesLost(backfill))) throw new Interrupted('the embedder is unavailable')
  const unwritten = await writeParts(backfill, { tenantId, corpus: source.corpus }, entries, texts)
  const refused = entries.filter(({ text }) => texts.refusalOf(text) !== null)
  const failed = new Set([...failures, ...refused, ...unwritten].map(({ id }) => id))
  const waiting = entries.filter(({ id, text }) => texts.isWaiting(text) && !failed.has(id)).map(({ id }) => id)
  const filled = entries.filter(({ id }) => !failed.has(id))
  const analysed = await source.analyse?.(context, rows, filled, [{ model: target.embedder.id, texts }])
  if (analysed) await context.store.transact({ tenantId }, (writer) => storeAnalysedTexts(writer, analysed))
  await leaveToJobs(backfill, tenantId, source, { failed: [...failed], withoutVector: waiting })
}

/** Writes the entries in parts, concurrently, and returns those that the engine refuses. */
async function writeParts(
  { context, target }: Backfill,
  scope: TenantCorpus,
  entries: readonly IndexEntry[],
  texts: EmbeddedTexts,
): Promise<readonly FailedAttempt[]> {
  const parts = Array.from({ length: Math.ceil(entries.length / PART_ROWS) }, (_, i) =>
    entries.slice(i * PART_ROWS, (i + 1) * PART_ROWS),
  )
  const written = await Promise.all(parts.map((part) => writeEntries(context, target, scope, part, texts)))
  return written.flatMap((part) => {
    if (part === null) throw new Interrupted('the search engine is unavailable')
    return part.failures
  })
}

/**
 * Returns true when the serving index is lost. Then documents are written without the vectors that are missing, as by
 * jobs: found by words and entities is more than recall has until the switch, and the embedder may be unavailable for
 * long.
 */
async function replacesLost({ context, build }: Backfill): Promise<boolean> {
  const serving = await context.store.asSystem(findServingBuild)
  return serving !== null && serving.lostAt !== null && serving.model === build.model
}

/** Enqueues failed rows as changes, whose attempts are counted, and the vectors of documents written without one. */
async function leaveToJobs<Row extends RowSeq>(
  { context, target }: Backfill,
  tenantId: string,
  source: IndexingSource<Row>,
  { failed, withoutVector }: { readonly failed: readonly string[]; readonly withoutVector: readonly string[] },
): Promise<void> {
  const { store, outages, options } = context
  if (failed.length > 0) await store.transact({ tenantId }, (writer) => enqueue(writer, source.kinds.change, failed))
  if (withoutVector.length === 0) return
  const afterMs = outages.embedder(target.embedder).waitMs() || options.outage.baseMs
  await store.transact({ tenantId }, (writer) => enqueueVectors(writer, source, withoutVector, { afterMs }))
}

/**
 * Ends the tenant when the index holds as many rows as PostgreSQL, up to those that are in flight; else starts it
 * again.
 */
async function checkTenant(
  { context, build, target }: Backfill,
  { tenantId, corpus, rounds }: TenantBackfill,
): Promise<void> {
  const { store, logger } = context
  const { counts, inFlight } = await countBoth(context, target, tenantId, scanRows)
  const { documents, rows } = counts[corpus]
  const moving = inFlight[corpus]
  const complete = Math.abs(documents - rows) <= moving
  const facts = { build: build.id, tenantId, corpus, documents, rows, moving, rounds }
  if (!complete) logger.warn(facts, 'the filled index does not fit')
  if (!complete && rounds >= MAX_ROUNDS) {
    const error = `tenant ${tenantId}: the index holds ${documents} of ${rows} ${corpus}`
    await store.asSystem((system) => failBuild(system, build, error))
    throw new Interrupted(null)
  }
  const kept = await store.asSystem((system) => endTenant(system, build, { tenantId, corpus, complete }))
  if (!kept) throw new Interrupted(null)
}
