import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'safe-stable-stringify'
import { v7 as uuidv7 } from 'uuid'
import { countDerived, markDerived } from '../../store/erasure/derived.js'
import {
  beginErasure,
  type ErasureSelector,
  eraseBatch,
  finishErasure,
  forgetAgent,
  forgetMentions,
  forgetRuns,
  forgetSettled,
  readErased,
} from '../../store/erasure/erasures.js'
import { countLeaving, dropFailedBuilds } from '../../store/indexing/index-builds.js'
import { sweepUnused } from '../../store/erasure/unused.js'
import { type Operator, operatorOf } from '../admin/operator.js'
import type { ApiContext } from '../context.js'
import type { components } from '../contract/contract.gen.js'
import { isClean, keepsIds, searchPlaces } from './places.js'

type Receipt = components['schemas']['ErasureReceipt']

const BATCH = 200
/** Unused entities, and vectors, of one transaction. */
const SWEEP = 1_000
/** How long the receipt waits for workers to bring the tombstones into the index. */
const INDEX_WAIT_MS = 15_000

/**
 * Erases what is selected, batch by batch, and says what each place held before and holds after. What is broken off leaves
 * whole batches erased and is noted: asking again erases the rest, and the receipt is of all of it. The index follows by the
 * dirty set, as with every change, so that every copy of it does.
 */
export async function erase(
  context: ApiContext,
  tenantId: string,
  selector: ErasureSelector,
  signal: AbortSignal,
): Promise<Receipt> {
  const { store, clock } = context
  const operator = operatorOf(tenantId)
  const begun = { id: uuidv7(), at: new Date(clock.now()), selector }
  const { id, ids: selected } = await store.transact(operator, (writer) => beginErasure(writer, begun))
  const before = await searchPlaces(context, { tenantId, ids: selected, textHashes: [], at: begun.at })
  await store.transact(operator, (writer) => forgetRuns(writer, selector))
  await store.transact(operator, (writer) => markDerived(writer, selector, id))
  await eraseAll(context, operator, { id, selector }, signal)
  const { ids, textHashes } = await store.read(operator, (reader) => readErased(reader, id))
  const derivedCount = await store.read(operator, (reader) => countDerived(reader, id))
  await settle(context, operator, { ids, begunAt: begun.at }, signal)
  if ('agentId' in selector) await store.transact(operator, (writer) => forgetAgent(writer, selector.agentId))
  const after = await searchPlaces(context, { tenantId, ids, textHashes, at: begun.at })

  const places = [...after].map(([place, { holding, mentioning }]) => {
    return {
      place,
      before: before.get(place)?.holding ?? null,
      after: holding,
      mentions: mentioning,
      kept: keepsIds(place),
    }
  })
  const at = new Date(clock.now())
  const facts = {
    erasure_id: id,
    tenant_id: tenantId,
    at: at.toISOString(),
    memory_count: ids.length,
    derived_count: derivedCount,
    places,
    complete: [...after].every(([place, found]) => isClean(place, found)),
  }
  const receipt: Receipt = { ...facts, hash: hashOf(facts, ids) }
  return store.transact(operator, (writer) => finishErasure(writer, { id, at, receipt, hash: receipt.hash }))
}

async function eraseAll(
  { store, clock }: ApiContext,
  operator: Operator,
  { id: erasureId, selector }: { readonly id: string; readonly selector: ErasureSelector },
  signal: AbortSignal,
): Promise<void> {
  let erased = BATCH
  while (erased === BATCH) {
    signal.throwIfAborted()
    const batch = { erasureId, at: new Date(clock.now()), limit: BATCH }
    const { ids } = await store.transact(operator, (writer) => eraseBatch(writer, selector, batch), {
      countsMemories: true,
    })
    erased = ids.length
  }
}

/**
 * Until every index has the tombstones or is gone; then nothing in the dirty set or the queue names them, and what work that was under way has
 * left of them goes too.
 */
async function settle(
  { store, indexBuilds, queuedIds }: ApiContext,
  operator: Operator,
  { ids, begunAt }: { readonly ids: readonly string[]; readonly begunAt: Date },
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + INDEX_WAIT_MS
  if (ids.length > 0) await store.asSystem(dropFailedBuilds)
  const left = async () =>
    (await store.transact(operator, (writer) => forgetSettled(writer, ids))) +
    (ids.length > 0 ? await store.asSystem((system) => countLeaving(system, begunAt)) : 0)
  while ((await left()) > 0 && performance.now() < end) await sleep(100, undefined, { signal })
  await store.transact(operator, (writer) => forgetMentions(writer, ids))
  while (await store.transact(operator, (writer) => sweepUnused(writer, SWEEP))) signal.throwIfAborted()
  if (ids.length === 0) return
  // What is away is told of by the receipt.
  const indexes = await indexBuilds.all()
  await Promise.allSettled([
    ...indexes.map(({ index }) => index.expunge()),
    ...queuedIds.map((queue) => queue.forget(ids)),
  ])
}

function hashOf(facts: object, ids: readonly string[]): string {
  const hash = createHash('sha256')
    .update([...ids].sort().join('\n'))
    .update(stringify(facts))
  return `sha256:${hash.digest('hex')}`
}
