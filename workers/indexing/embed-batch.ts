import { type FailedAttempt, type RowSeq, settle } from '../../store/outbox/outbox.js'
import type { IndexTarget } from '../context.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import type { Outage } from '../outage.js'
import { recordFailures, requeue } from '../failed-rows.js'
import { type EmbeddedTexts, embedTexts, hexOf } from './embed-texts.js'
import type { IndexEntry } from './index-entry.js'
import type { IndexingSource } from './indexing-source.js'
import { buildEntries, readBatch } from './batch-steps.js'
import { ofIds, without } from './step-result.js'
import { textsOf, vectorIn, writeTo } from './write-everywhere.js'

/**
 * Adds the vectors to documents that were indexed without one, once the embedder is available again: writes the whole
 * document again, under the `seq` of the vector's row. A text that the embedder refuses counts an attempt; while it is
 * unavailable the rows wait.
 */
export async function embedBatch<Row extends RowSeq>(
  context: JobContext,
  source: IndexingSource<Row>,
  batch: BatchPayload,
): Promise<BatchOutcome> {
  const { store, clock, metrics } = context
  const startedAt = clock.now()
  const { tenantId, ticket } = batch
  const kind = source.kinds.vector
  const { done: rows, failures: unread } = await readBatch(context, source, kind, batch)
  const { done: entries, failures: unbuilt } = await buildEntries(rows, (row) => source.entryOf(row))
  // The tombstone of a deleted row is written by a row of its own.
  const gone = entries.filter(({ document }) => document === null)
  const live = without(entries, gone)
  const texts = await embedForEach(context, tenantId, live)
  const whole = live.filter((entry) => texts.every(([, found]) => vectorIn(found, entry) !== null))

  const failures = new Map<string, FailedAttempt>(refusalsOf(live, texts))
  let isAway = texts.length === 0
  for (const [target, found] of texts) {
    // When an embedder is unavailable for one index only, the other gets its vectors once and not again with every
    // attempt.
    const given = found.isNew ? live.filter((entry) => vectorIn(found, entry) !== null) : whole
    const outcome = await writeTo(context, target, { tenantId, corpus: source.corpus }, given, found)
    if (outcome === 'away') isAway = true
    else if (outcome !== 'dropped') for (const failure of outcome.failures) failures.set(failure.id, failure)
  }
  const written = isAway ? [] : whole.filter(({ id }) => !failures.has(id))
  for (const failure of (await source.finish?.(context, tenantId, ofIds(rows, written))) ?? [])
    failures.set(failure.id, failure)
  const done = written.filter(({ id }) => !failures.has(id))
  const settled = await store.transact({ tenantId }, (writer) => settle(writer, kind, ticket, [...gone, ...done]))
  const failed = [...unread, ...unbuilt, ...failures.values()]
  await recordFailures(context, kind, batch, failed)
  const away = isAway ? context.outages.search : waitingFor(context, texts)
  const released = away === null ? 0 : await requeue(context, ticket, away.failed())
  if (settled.length > 0) metrics.batchIndexed(settled.length, (clock.now() - startedAt) / 1000)
  return { settled: settled.length, failed: failed.length, released }
}

type ForTarget = readonly [IndexTarget, EmbeddedTexts]

async function embedForEach(context: JobContext, tenantId: string, live: readonly IndexEntry[]): Promise<ForTarget[]> {
  const found: ForTarget[] = []
  for (const target of await context.indexes.targets())
    found.push([target, await embedTexts(context, target.embedder, tenantId, textsOf(live))])
  return found
}

function refusalsOf(live: readonly IndexEntry[], texts: readonly ForTarget[]): [string, FailedAttempt][] {
  return live.flatMap(({ id, seq, text }) => {
    const error = texts.map(([, { refused }]) => refused.get(hexOf(text))).find((reason) => reason !== undefined)
    return error === undefined ? [] : [[id, { id, seq, error }] as [string, FailedAttempt]]
  })
}

function waitingFor({ outages }: JobContext, texts: readonly ForTarget[]): Outage | null {
  const away = texts.find(([, { waiting }]) => waiting.size > 0)
  return away ? outages.embedder(away[0].embedder) : null
}
