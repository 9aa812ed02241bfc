import type { ReadSeq } from '../../store/outbox.js'
import { enqueue, settle } from '../../store/outbox.js'
import { embedRows } from '../embed-rows.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { buildChanges, countTries, readBatch, release, writeChanges } from '../write-documents.js'

/**
 * Brings one batch of the dirty set into the index: reads the rows again, embeds what has no vector, writes documents and
 * tombstones, and settles once they are searchable. Without the embedder a document goes in without its vector, which then
 * follows by a row of kind vector. Doing a batch twice, or late, changes nothing.
 */
export async function indexMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { clock, metrics, outages } = context
  const startedAt = clock.now()
  const { tenantId } = batch
  const { done: rows, failures: unread } = await readBatch(context, 'memory', batch)
  const { vectors } = await embedRows(
    context,
    tenantId,
    rows.flatMap((row) => row.memory ?? []),
  )
  const vectorOf = (memory: { textHash: Buffer }) => vectors.get(memory.textHash.toString('hex'))
  const { done: changes, failures: unbuilt } = await buildChanges(rows, (memory) => vectorOf(memory) ?? null)
  const written = await writeChanges(context, tenantId, changes)
  if (written === null) {
    await countTries(context, 'memory', batch, [...unread, ...unbuilt])
    return { settled: 0, failed: 0, released: await release(context, batch.ticket, outages.search.failed()) }
  }

  const bare = new Set(rows.flatMap(({ id, memory }) => (memory && !vectorOf(memory) ? [id] : [])))
  const settled = await settleWritten(context, batch, written.done, bare)
  const failures = [...unread, ...unbuilt, ...written.failures]
  await countTries(context, 'memory', batch, failures)
  if (settled > 0) metrics.batchIndexed(settled, (clock.now() - startedAt) / 1000)
  return { settled, failed: failures.length, released: 0 }
}

/**
 * Rows of kind vector are enqueued only for what was settled, in the same transaction and after it: the settled row's lock
 * makes sure that a change with a lower `seq` than theirs has been committed, so their job will not write older content.
 */
async function settleWritten(
  { store, outages, options }: JobContext,
  { tenantId, ticket }: BatchPayload,
  written: readonly ReadSeq[],
  bare: ReadonlySet<string>,
): Promise<number> {
  if (written.length === 0) return 0
  const afterMs = outages.embedder.isOn ? outages.embedder.waitMs() : options.outage.baseMs
  return store.transact({ tenantId }, async (writer) => {
    const settled = await settle(writer, 'memory', ticket, written)
    await enqueue(
      writer,
      'vector',
      settled.filter((id) => bare.has(id)),
      { afterMs },
    )
    return settled.length
  })
}
