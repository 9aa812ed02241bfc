import { enqueue, settle, type RowSeq } from '../../store/outbox/outbox.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { recordFailures, requeue } from '../failed-rows.js'
import type { IndexingSource } from './indexing-source.js'
import { buildEntries, readBatch } from './batch-steps.js'
import { ofIds, without } from './step-result.js'
import { writeEverywhere, type WriteResult } from './write-everywhere.js'

/**
 * Writes one batch of index_pending rows into every live index: reads the rows again, embeds texts without a vector,
 * writes documents and tombstones, and settles once they are searchable. Without the embedder a document is written
 * without its vector, which a row of the vector's kind adds later. Processing a batch twice, or late, changes nothing.
 */
export async function indexBatch<Row extends RowSeq>(
  context: JobContext,
  source: IndexingSource<Row>,
  batch: BatchPayload,
): Promise<BatchOutcome> {
  const { clock, metrics, outages } = context
  const startedAt = clock.now()
  const { tenantId, ticket } = batch
  const kind = source.kinds.change
  const { done: read, failures: unread } = await readBatch(context, source, kind, batch)
  const { done: rows, failures: unprepared } = (await source.prepare?.(context, tenantId, read)) ?? {
    done: read,
    failures: [],
  }
  const { done: entries, failures: unbuilt } = await buildEntries(rows, (row) => source.entryOf(row))
  const written = await writeEverywhere(context, { tenantId, corpus: source.corpus }, entries)
  if (written === null) {
    await recordFailures(context, kind, batch, [...unread, ...unprepared, ...unbuilt])
    return { settled: 0, failed: 0, released: await requeue(context, ticket, outages.search.failed()) }
  }

  const unfinished = (await source.finish?.(context, tenantId, ofIds(rows, written.done))) ?? []
  const settled = await settleWritten(context, source, batch, without(written.done, unfinished), written)
  const failures = [...unread, ...unprepared, ...unbuilt, ...written.failures, ...unfinished]
  await recordFailures(context, kind, batch, failures)
  if (settled > 0) metrics.batchIndexed(settled, (clock.now() - startedAt) / 1000)
  return { settled, failed: failures.length, released: 0 }
}

/**
 * Settles rows, and enqueues rows for vectors only for what was settled, in the same transaction and after it: the
 * settled row's lock ensures that a change with a lower `seq` than theirs has been committed, so their job does not
 * write older content.
 */
async function settleWritten<Row extends RowSeq>(
  { store }: JobContext,
  { kinds }: IndexingSource<Row>,
  { tenantId, ticket }: BatchPayload,
  written: readonly RowSeq[],
  { withoutVector, vectorWaitMs }: WriteResult,
): Promise<number> {
  if (written.length === 0) return 0
  return store.transact({ tenantId }, async (writer) => {
    const settled = await settle(writer, kinds.change, ticket, written)
    await enqueue(
      writer,
      kinds.vector,
      settled.filter((id) => withoutVector.has(id)),
      { afterMs: vectorWaitMs },
    )
    return settled.length
  })
}
