import type { ReadSeq } from '../../store/outbox/outbox.js'
import { enqueue, settle } from '../../store/outbox/outbox.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { linkNames } from '../link-names.js'
import { findNearDuplicates } from '../near-duplicates.js'
import { buildChanges, countTries, readBatch, release } from '../write-documents.js'
import { writeEverywhere, type WrittenEverywhere } from '../write-everywhere.js'

/**
 * Brings one batch of the dirty set into every live index: reads the rows again, links the names in their texts, embeds what
 * has no vector, writes documents and tombstones, and settles once they are searchable. Without the embedder a document goes in
 * without its vector, which then follows by a row of kind vector. Doing a batch twice, or late, changes nothing.
 */
export async function indexMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { clock, metrics, outages } = context
  const startedAt = clock.now()
  const { tenantId } = batch
  const { done: read, failures: unread } = await readBatch(context, 'memory', batch)
  const { done: rows, failures: unlinked } = await linkNames(context, tenantId, read)
  const { done: changes, failures: unbuilt } = await buildChanges(rows)
  const written = await writeEverywhere(context, tenantId, rows, changes)
  if (written === null) {
    await countTries(context, 'memory', batch, [...unread, ...unlinked, ...unbuilt])
    return { settled: 0, failed: 0, released: await release(context, batch.ticket, outages.search.failed()) }
  }

  const unjudged = await findNearDuplicates(context, tenantId, ofIds(rows, written.done))
  const settled = await settleWritten(context, batch, without(written.done, unjudged), written)
  const failures = [...unread, ...unlinked, ...unbuilt, ...written.failures, ...unjudged]
  await countTries(context, 'memory', batch, failures)
  if (settled > 0) metrics.batchIndexed(settled, (clock.now() - startedAt) / 1000)
  return { settled, failed: failures.length, released: 0 }
}

function ofIds<T extends { id: string }>(rows: readonly T[], wanted: readonly { id: string }[]): T[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

function without<T extends { id: string }>(rows: readonly T[], unwanted: readonly { id: string }[]): T[] {
  const ids = new Set(unwanted.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}

/**
 * Rows of kind vector are enqueued only for what was settled, in the same transaction and after it: the settled row's lock
 * makes sure that a change with a lower `seq` than theirs has been committed, so their job will not write older content.
 */
async function settleWritten(
  { store }: JobContext,
  { tenantId, ticket }: BatchPayload,
  written: readonly ReadSeq[],
  { bare, bareWaitMs }: WrittenEverywhere,
): Promise<number> {
  if (written.length === 0) return 0
  return store.transact({ tenantId }, async (writer) => {
    const settled = await settle(writer, 'memory', ticket, written)
    await enqueue(
      writer,
      'vector',
      settled.filter((id) => bare.has(id)),
      { afterMs: bareWaitMs },
    )
    return settled.length
  })
}
