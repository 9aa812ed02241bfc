import { removeAnalysedTexts, storeAnalysedTexts, type StoredText } from '../../store/indexing/analysed-texts.js'
import { type FailedAttempt, type RowSeq, enqueue, settle } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { IndexTarget, JobContext } from '../context.js'
import { describeFailure, isolateFailures, recordFailures, requeue, type StepResult } from '../failures.js'
import type { BatchOutcome, BatchPayload } from '../job.js'
import type { Outage } from '../outage.js'
import { type EmbeddedTexts, embedTexts } from './embed-texts.js'
import type { IndexEntry } from '../../services/indexing/index-entries.js'
import type { ModelTexts } from './analysed-texts.js'
import { buildEntries, type IndexingSource } from './sources.js'
import { type TenantCorpus, writeEntries } from './write-index.js'

/** Differences between the two jobs that bring a row into the index. */
interface IndexingStep {
  /** Which of the source's rows it works on. */
  readonly rows: keyof IndexingSource<RowSeq>['kinds']
  /** True when what is found in the texts is added to the rows before their documents are built. */
  readonly prepares: boolean
  /** False when the tombstone of a deleted row is left to another step: the row is settled at once. */
  readonly writesTombstones: boolean
  /**
   * True when a row stays pending until its text has a vector, and a text that the embedder refuses is a failed
   * attempt. False when its document is written without, and a row of the vector's kind follows.
   */
  readonly needsVectors: boolean
}

const INDEX: IndexingStep = { rows: 'change', prepares: true, writesTombstones: true, needsVectors: false }
const EMBED: IndexingStep = { rows: 'vector', prepares: false, writesTombstones: false, needsVectors: true }

type RunBatch = (context: JobContext, batch: BatchPayload) => Promise<BatchOutcome>

/** Returns the job that writes changed rows into every index: with their vectors, as far as the embedder answers. */
export function indexing<Row extends RowSeq>(source: IndexingSource<Row>): RunBatch {
  return (context, batch) => processBatch(context, source, INDEX, batch)
}

/**
 * Returns the job that adds the vectors to documents that were written without, once the embedder answers again. It
 * writes the whole document, under the `seq` of the vector's row.
 */
export function embedding<Row extends RowSeq>(source: IndexingSource<Row>): RunBatch {
  return (context, batch) => processBatch(context, source, EMBED, batch)
}

/** Processes a batch part by part. An outage requeues what is left of the batch, and no further part is begun. */
async function processBatch<Row extends RowSeq>(
  context: JobContext,
  source: IndexingSource<Row>,
  step: IndexingStep,
  batch: BatchPayload,
): Promise<BatchOutcome> {
  const sum = { settled: 0, failed: 0, released: 0 }
  for (const ids of (await source.partsOf?.(context, batch)) ?? [batch.ids]) {
    const { settled, failed, released } = await processPart(context, source, step, { ...batch, ids })
    sum.settled += settled
    sum.failed += failed
    sum.released += released
    if (released > 0) break
  }
  return sum
}

/**
 * Reads the rows again, builds their documents, embeds their texts, writes both into every index that takes changes,
 * and settles the rows once they are searchable. Whatever fails by its own fault counts an attempt; in an outage the
 * others are requeued. Processing a batch twice, or late, changes nothing.
 */
async function processPart<Row extends RowSeq>(
  context: JobContext,
  source: IndexingSource<Row>,
  step: IndexingStep,
  batch: BatchPayload,
): Promise<BatchOutcome> {
  const { clock, metrics } = context
  const startedAt = clock.now()
  const { tenantId, ticket } = batch
  const kind = source.kinds[step.rows]
  const read = await readRows(context, source, kind, batch)
  const prepared =
    step.prepares && source.prepare
      ? await source.prepare(context, tenantId, read.done)
      : { done: read.done, failures: [] }
  const built = await buildEntries(source, prepared.done)
  const toWrite = built.done.filter(({ document }) => document !== null || step.writesTombstones)
  const written = await writeEverywhere(context, step, { tenantId, corpus: source.corpus }, toWrite)
  const unfinished = (await source.finish?.(context, tenantId, withIdsOf(prepared.done, written.done))) ?? []

  const done = [...without(built.done, toWrite), ...without(written.done, unfinished)]
  const settling = withIdsOf(built.done, done)
  const texts = (await source.analyse?.(context, prepared.done, settling, written.embedded)) ?? []
  const gone = source.analyse ? settling.filter(({ document }) => document === null) : []
  const settled = await settleRows(context, source, kind, batch, { rows: done, texts, gone }, written)
  const failures = [...read.failures, ...prepared.failures, ...built.failures, ...written.failures, ...unfinished]
  await recordFailures(context, kind, batch, failures)
  const released = written.outage === null ? 0 : await requeue(context, ticket, written.outage.failed())
  if (settled > 0) metrics.batchIndexed(settled, (clock.now() - startedAt) / 1000)
  return { settled, failed: failures.length, released }
}

/**
 * Reads those rows of the batch that still belong to this job; a row that cannot be read fails alone. Throws when
 * PostgreSQL is unavailable.
 */
async function readRows<Row extends RowSeq>(
  { store }: JobContext,
  source: IndexingSource<Row>,
  kind: PendingKind,
  { tenantId, ticket, ids }: BatchPayload,
): Promise<StepResult<Row>> {
  const results = await isolateFailures(ids, async (part) => {
    const rows = await store.read({ tenantId }, (reader) => source.readRows(reader, kind, ticket, part))
    const byId = new Map(rows.map((row) => [row.id, row]))
    return part.map((id) => byId.get(id))
  })
  return {
    done: results.flatMap((result) => ('value' in result && result.value ? [result.value] : [])),
    failures: results.flatMap((result, i) =>
      'error' in result ? [{ id: ids[i]!, seq: null, error: describeFailure(result.error) }] : [],
    ),
  }
}

interface WriteResult extends StepResult<IndexEntry> {
  /** Ids of entries that lack their vector in some index. */
  readonly withoutVector: ReadonlySet<string>
  /** Time to wait for the embedder before their vectors are added. */
  readonly vectorWaitMs: number
  /** Vectors of the texts, by model. */
  readonly embedded: readonly ModelTexts[]
  /** Outage for which the entries that are neither done nor failed must wait. */
  readonly outage: Outage | null
}

/**
 * Writes these entries into every index that takes changes. `done` are those that all of them hold, none when an engine
 * is unavailable or no index exists yet. The targets are read after the rows: an index that is not among them is filled
 * from later rows (store/indexing/index-builds.md).
 */
async function writeEverywhere(
  context: JobContext,
  { needsVectors }: IndexingStep,
  scope: TenantCorpus,
  entries: readonly IndexEntry[],
): Promise<WriteResult> {
  const { outages, options } = context
  const targets = await embedForEach(context, scope.tenantId, entries)
  const complete = entries.filter((entry) => targets.every(({ texts }) => hasVector(texts, entry)))
  const failures = new Map(needsVectors ? refusalsOf(entries, targets) : [])
  let isAway = targets.length === 0
  for (const { target, texts } of targets) {
    // An index whose embedder has just answered gets its vectors now, once, though another's embedder is unavailable.
    const withVectors = texts.isNew ? entries.filter((entry) => hasVector(texts, entry)) : complete
    const written = await writeTo(context, target, scope, needsVectors ? withVectors : entries, texts)
    if (written === 'away') {
      isAway = true
      // Nothing of the batch settles any more, and every further write may wait for its timeout while the lease runs.
      if (!needsVectors) break
    } else if (written !== 'dropped') for (const failure of written.failures) failures.set(failure.id, failure)
  }
  const waiting = needsVectors ? targets.find(({ texts }) => texts.isAnyWaiting) : undefined
  return {
    done: isAway ? [] : without(needsVectors ? complete : entries, [...failures.values()]),
    failures: [...failures.values()],
    withoutVector: new Set(without(entries, complete).map(({ id }) => id)),
    vectorWaitMs: Math.max(0, ...targets.map(({ embedderOutage }) => embedderOutage.waitMs())) || options.outage.baseMs,
    embedded: targets.map(({ target, texts }) => ({ model: target.embedder.id, texts })),
    outage: isAway ? outages.search : (waiting?.embedderOutage ?? null),
  }
}

interface EmbeddedTarget {
  readonly target: IndexTarget
  readonly embedderOutage: Outage
  readonly texts: EmbeddedTexts
}

async function embedForEach(
  context: JobContext,
  tenantId: string,
  entries: readonly IndexEntry[],
): Promise<EmbeddedTarget[]> {
  const texts = entries.map(({ text }) => text)
  const embedded: EmbeddedTarget[] = []
  for (const target of await context.indexes.targets())
    embedded.push({
      target,
      embedderOutage: context.outages.embedder(target.embedder),
      texts: await embedTexts(context, target.embedder, tenantId, texts),
    })
  return embedded
}

/** Returns true for a tombstone too, which needs none. */
function hasVector(texts: EmbeddedTexts, { text }: IndexEntry): boolean {
  return text === null || texts.vectorOf(text) !== null
}

function refusalsOf(entries: readonly IndexEntry[], targets: readonly EmbeddedTarget[]): [string, FailedAttempt][] {
  return entries.flatMap(({ id, seq, text }) => {
    const error = targets.map(({ texts }) => texts.refusalOf(text)).find((reason) => reason !== null)
    return error === undefined ? [] : [[id, { id, seq, error }] as [string, FailedAttempt]]
  })
}

/** Writes into one index. Returns `dropped` when it failed and is no longer live. */
async function writeTo(
  context: JobContext,
  target: IndexTarget,
  scope: TenantCorpus,
  entries: readonly IndexEntry[],
  texts: EmbeddedTexts,
): Promise<StepResult<RowSeq> | 'away' | 'dropped'> {
  const written = await writeEntries(context, target, scope, entries, texts)
  if (written !== null) return written
  const live = await context.indexes.targets()
  return live.some(({ buildId }) => buildId === target.buildId) ? 'away' : 'dropped'
}

interface Settling {
  readonly rows: readonly RowSeq[]
  /** Their analysed texts: whoever finds a row that is settled finds its analysed text too. */
  readonly texts: readonly StoredText[]
  /** Tombstones, whose analysed texts go. */
  readonly gone: readonly { readonly id: string }[]
}

/**
 * Settles rows, and enqueues rows for vectors only for what was settled, in the same transaction and after it: the
 * settled row's lock ensures that a change with a lower `seq` than theirs has been committed, so their job does not
 * write older content. Returns how many rows still belonged to this job.
 */
async function settleRows<Row extends RowSeq>(
  { store }: JobContext,
  { kinds }: IndexingSource<Row>,
  kind: PendingKind,
  { tenantId, ticket }: BatchPayload,
  { rows, texts, gone }: Settling,
  { withoutVector, vectorWaitMs: afterMs }: WriteResult,
): Promise<number> {
  if (rows.length === 0) return 0
  return store.transact({ tenantId }, async (writer) => {
    // Before the pending rows: changes of memories lock them in this order too.
    await storeAnalysedTexts(writer, texts)
    await removeAnalysedTexts(
      writer,
      gone.map(({ id }) => id),
    )
    const settled = await settle(writer, kind, ticket, rows)
    const lacking = settled.filter((id) => withoutVector.has(id))
    await enqueue(writer, kinds.vector, lacking, { afterMs })
    return settled.length
  })
}

function withIdsOf<T extends { id: string }>(rows: readonly T[], wanted: readonly { id: string }[]): T[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

function without<T extends { id: string }>(rows: readonly T[], unwanted: readonly { id: string }[]): T[] {
  const ids = new Set(unwanted.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}
