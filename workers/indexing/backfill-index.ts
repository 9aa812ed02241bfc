import type { IndexChange } from '../../search/search-index.js'
import { findServingBuild } from '../../store/indexing/index-builds.js'
import {
  finishBackfill,
  endTenant,
  enqueueVectors,
  failBuild,
  nextTenant,
  saveBackfillProgress,
  type ClaimedBuild,
  type TenantBackfill,
} from '../../store/indexing/index-backfill.js'
import { scanRows } from '../../store/indexing/index-counts.js'
import { enqueue, type FailedAttempt, type RowSeq } from '../../store/outbox/outbox.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'
import { countBoth } from './compare-counts.js'
import { embedTexts, hexOf } from './embed-texts.js'
import { withVector } from './index-entry.js'
import { DOCUMENTS } from './documents.js'
import type { IndexingSource } from './indexing-source.js'
import { MEMORIES } from './memories.js'
import { buildEntries, writeChanges } from './batch-steps.js'
import { type TenantCorpus, without } from './step-result.js'
import { textsOf, vectorIn } from './write-everywhere.js'

/**
 * Number of rows that are read, embedded and written before the cursor is saved; they are written in parts,
 * concurrently.
 */
const PART_ROWS = 250
const PAGE_ROWS = 4 * PART_ROWS
/** Number of backfills of one tenant, after which an operator must find out why its count is wrong. */
const MAX_ROUNDS = 3

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
export async function backfillIndex(backfill: Backfill): Promise<string | null> {
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
  const { corpus } = source
  // Embedding a thousand texts by a remote embedder may take half a minute, for which a stop would have to wait.
  const limit = backfill.target.embedder.inline ? PAGE_ROWS : PART_ROWS
  for (let after = lastId; ;) {
    if (signal.aborted) return false
    const rows = await context.store.read({ tenantId }, (reader) => source.readLive(reader, { after, until, limit }))
    if (rows.length === 0) return true
    const { done, failures } = await buildEntries(rows, (row) => source.entryOf(row))
    const texts = await embedTexts(context, backfill.target.embedder, tenantId, textsOf(done))
    if (texts.waiting.size > 0 && !(await replacesLost(backfill))) throw new Interrupted('the embedder is unavailable')
    const changes = done.map((entry) => withVector(entry, vectorIn(texts, entry)))
    const refused = done.filter(({ text }) => texts.refused.has(hexOf(text)))
    const unwritten = await writeParts(backfill, { tenantId, corpus }, changes)
    const left = [...failures, ...refused, ...unwritten]
    const bare = without(
      done.filter(({ text }) => texts.waiting.has(hexOf(text))),
      left,
    )
    await leaveToJobs(backfill, tenantId, source, { left, bare })
    after = rows.at(-1)!.id
    const page = { tenantId, corpus, lastId: after, count: rows.length }
    if (!(await context.store.asSystem((system) => saveBackfillProgress(system, build, page))))
      throw new Interrupted(null)
  }
}

/** Writes the changes and returns those that the engine refuses. */
async function writeParts(
  { context, target }: Backfill,
  scope: TenantCorpus,
  changes: readonly IndexChange[],
): Promise<readonly FailedAttempt[]> {
  const parts = Array.from({ length: Math.ceil(changes.length / PART_ROWS) }, (_, i) =>
    changes.slice(i * PART_ROWS, (i + 1) * PART_ROWS),
  )
  const written = await Promise.all(parts.map((part) => writeChanges(context, target, scope, part)))
  return written.flatMap((part) => {
    if (part === null) throw new Interrupted('the search engine is unavailable')
    return part.failures
  })
}

/**
 * Returns true when the serving index is lost. Then documents go in without the vectors that are not to be had, as changes do: found by words
 * and entities is more than recall has until the switch, and the embedder may stay away for long.
 */
async function replacesLost({ context, build }: Backfill): Promise<boolean> {
  const serving = await context.store.asSystem(findServingBuild)
  return serving !== null && serving.lostAt !== null && serving.model === build.model
}

/**
 * Hands over what cannot be filled, `left`, which goes the way of every change: its tries are counted, and an operator sees it parked. So do
 * the vectors of those that were written without, `bare`.
 */
async function leaveToJobs<Row extends RowSeq>(
  { context, target }: Backfill,
  tenantId: string,
  source: IndexingSource<Row>,
  { left, bare }: { readonly left: readonly { id: string }[]; readonly bare: readonly { id: string }[] },
): Promise<void> {
  const { store, outages, options } = context
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  if (left.length > 0) await store.transact({ tenantId }, (writer) => enqueue(writer, source.kinds.change, idsOf(left)))
  if (bare.length === 0) return
  const afterMs = outages.embedder(target.embedder).waitMs() || options.outage.baseMs
  await store.transact({ tenantId }, (writer) => enqueueVectors(writer, source, idsOf(bare), { afterMs }))
}

/** Ends the tenant when the index holds as many rows as PostgreSQL, up to those that are pending; else starts it again. */
async function checkTenant(
  { context, build, target }: Backfill,
  { tenantId, corpus, rounds }: TenantBackfill,
): Promise<void> {
  const { store, logger } = context
  const both = await countBoth(context, target, tenantId, scanRows)
  const { documents, rows } = both.counts[corpus]
  const moving = both.moving[corpus]
  const complete = Math.abs(documents - rows) <= moving
  const facts = { build: build.id, tenantId, space: corpus, documents, rows, moving, rounds }
  if (!complete) logger.warn(facts, 'the filled index does not fit')
  if (!complete && rounds >= MAX_ROUNDS) {
    const error = `tenant ${tenantId}: the index holds ${documents} of ${rows} ${corpus}`
    await store.asSystem((system) => failBuild(system, build, error))
    throw new Interrupted(null)
  }
  const kept = await store.asSystem((system) => endTenant(system, build, { tenantId, corpus, complete }))
  if (!kept) throw new Interrupted(null)
}
