import type { IndexRow } from '../../store/indexing/index-rows.js'
import { settle, type FailedTry } from '../../store/outbox/outbox.js'
import type { IndexTarget } from '../context.js'
import { embedRows, type EmbeddedTexts } from '../embed-rows.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { findNearDuplicates } from '../near-duplicates.js'
import type { Outage } from '../outage.js'
import { buildChanges, countTries, readBatch, release } from '../write-documents.js'
import { hexOf, memoriesOf, writeTo } from '../write-everywhere.js'

/**
 * Gives documents that were indexed without a vector theirs, now that the embedder is back: the whole document again, under
 * the `seq` of the row of kind vector. What the embedder refuses counts a try; while it is away the rows wait.
 */
export async function embedMemories(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { store, clock, metrics } = context
  const startedAt = clock.now()
  const { tenantId, ticket } = batch
  const { done: rows, failures: unread } = await readBatch(context, 'vector', batch)
  // A deleted memory's tombstone is the work of its own row.
  const gone = rows.filter((row) => row.memory === null)
  const live = rows.filter((row) => row.memory !== null)
  const texts = await embedForEach(context, tenantId, live)
  const { done: changes, failures: unbuilt } = await buildChanges(live)
  const memories = memoriesOf(live)
  const vectorIn = (found: EmbeddedTexts, id: string) => found.vectors.get(hexOf(memories.get(id))) ?? null
  const whole = changes.filter(({ id }) => texts.every(([, found]) => vectorIn(found, id) !== null))

  const failures = new Map<string, FailedTry>(refusalsOf(live, texts))
  let isAway = false
  for (const [target, found] of texts) {
    // With an embedder away for one index only, the other is given its vectors once and not again with every try.
    const given = found.isNew ? changes.filter(({ id }) => vectorIn(found, id) !== null) : whole
    const outcome = await writeTo(context, target, tenantId, given, (id) => vectorIn(found, id))
    if (outcome === 'away') isAway = true
    else if (outcome !== 'dropped') for (const failure of outcome.failures) failures.set(failure.id, failure)
  }
  const written = new Set(isAway ? [] : whole.flatMap(({ id }) => (failures.has(id) ? [] : [id])))
  const unjudged = await findNearDuplicates(
    context,
    tenantId,
    live.filter(({ id }) => written.has(id)),
  )
  for (const failure of unjudged) failures.set(failure.id, failure)
  const done = whole.filter(({ id }) => written.has(id) && !failures.has(id))
  const settled = await store.transact({ tenantId }, (writer) => settle(writer, 'vector', ticket, [...gone, ...done]))
  const failed = [...unread, ...unbuilt, ...failures.values()]
  await countTries(context, 'vector', batch, failed)
  const away = isAway ? context.outages.search : waitingFor(context, texts)
  const released = away === null ? 0 : await release(context, ticket, away.failed())
  if (settled.length > 0) metrics.batchIndexed(settled.length, (clock.now() - startedAt) / 1000)
  return { settled: settled.length, failed: failed.length, released }
}

type ForTarget = readonly [IndexTarget, EmbeddedTexts]

async function embedForEach(context: JobContext, tenantId: string, live: readonly IndexRow[]): Promise<ForTarget[]> {
  const memories = [...memoriesOf(live).values()]
  const found: ForTarget[] = []
  for (const target of await context.indexes.targets())
    found.push([target, await embedRows(context, target.embedder, tenantId, memories)])
  return found
}

function refusalsOf(live: readonly IndexRow[], texts: readonly ForTarget[]): [string, FailedTry][] {
  return live.flatMap(({ id, seq, memory }) => {
    const error = texts.map(([, { refused }]) => refused.get(hexOf(memory!))).find((reason) => reason !== undefined)
    return error === undefined ? [] : [[id, { id, seq, error }] as [string, FailedTry]]
  })
}

function waitingFor({ outages }: JobContext, texts: readonly ForTarget[]): Outage | null {
  const away = texts.find(([, { waiting }]) => waiting.size > 0)
  return away ? outages.embedder(away[0].embedder) : null
}
