import { settle, type FailedTry } from '../../store/outbox.js'
import type { IndexRow } from '../../store/index-rows.js'
import { embedRows } from '../embed-rows.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { buildChanges, countTries, readBatch, release, writeChanges } from '../write-documents.js'

/**
 * Gives documents that were indexed without a vector theirs, now that the embedder is back: the whole document again, under
 * the `seq` of the row of kind vector. What the embedder refuses counts a try; while it is away the rows wait.
 */
export async function embedMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { store, clock, metrics, outages } = context
  const startedAt = clock.now()
  const { tenantId, ticket } = batch
  const { done: rows, failures: unread } = await readBatch(context, 'vector', batch)
  // A deleted memory's tombstone is the work of its own row.
  const gone = rows.filter((row) => row.memory === null)
  const live = rows.filter((row) => row.memory !== null)
  const texts = await embedRows(
    context,
    tenantId,
    live.flatMap((row) => row.memory ?? []),
  )
  const hexOf = ({ memory }: IndexRow) => memory!.textHash.toString('hex')
  const embedded = live.filter((row) => texts.vectors.has(hexOf(row)))
  const refused = live.flatMap((row): FailedTry[] => {
    const error = texts.refused.get(hexOf(row))
    return error === undefined ? [] : [{ id: row.id, seq: row.seq, error }]
  })
  const { done: changes, failures: unbuilt } = await buildChanges(embedded, (memory) =>
    texts.vectors.get(memory.textHash.toString('hex'))!,
  )
  const written = await writeChanges(context, tenantId, changes)
  const settled = await store.transact({ tenantId }, (writer) =>
    settle(writer, 'vector', ticket, [...gone, ...(written?.done ?? [])]),
  )
  const failures = [...unread, ...refused, ...unbuilt, ...(written?.failures ?? [])]
  await countTries(context, 'vector', batch, failures)
  const away = written === null ? outages.search : texts.waiting.size > 0 ? outages.embedder : null
  const released = away === null ? 0 : await release(context, ticket, away.failed())
  if (settled.length > 0) metrics.batchIndexed(settled.length, (clock.now() - startedAt) / 1000)
  return { settled: settled.length, failed: failures.length, released }
}
