import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'safe-stable-stringify'
import { v7 as uuidv7 } from 'uuid'
import {
  type ErasureSelector,
  eraseBatch,
  forgetAgent,
  forgetSettled,
  keepErasure,
  selectIds,
} from '../../store/erasures.js'
import type { ApiContext } from '../context.js'
import type { components } from '../contract.gen.js'
import { keepsIds, searchPlaces } from './places.js'

type Receipt = components['schemas']['ErasureReceipt']

const BATCH = 200
/** How long the receipt waits for workers to bring the tombstones into the index. */
const INDEX_WAIT_MS = 15_000

/**
 * Erases what is selected, batch by batch, and says what each place held before and holds after. A crash in between leaves whole
 * batches erased; asking again erases the rest. The index follows by the dirty set, as with every change, so that every copy of it does.
 */
export async function erase(
  context: ApiContext,
  tenantId: string,
  selector: ErasureSelector,
  signal: AbortSignal,
): Promise<Receipt> {
  const { store } = context
  const operator = { tenantId, kind: 'admin', agentId: null, keyId: null } as const
  const ids = await store.read(operator, (reader) => selectIds(reader, selector))
  const before = await searchPlaces(context, { tenantId, ids, textHashes: [] })
  const textHashes = await eraseAll(context, operator, selector, signal)
  await settle(context, tenantId, ids, signal)
  const after = await searchPlaces(context, { tenantId, ids, textHashes })

  const places = [...after].map(([place, left]) => {
    return { place, before: before.get(place) ?? null, after: left, kept: keepsIds(place) }
  })
  const complete = places.every(({ after: left, kept }) => kept || left === 0)
  const at = new Date(context.clock.now())
  const facts = {
    erasure_id: uuidv7(),
    tenant_id: tenantId,
    at: at.toISOString(),
    memory_count: ids.length,
    places,
    complete,
  }
  const receipt: Receipt = { ...facts, hash: hashOf(facts, ids) }
  await store.transact(operator, (writer) =>
    keepErasure(writer, {
      id: receipt.erasure_id,
      at,
      selector: { ...selector },
      memoryIds: ids,
      textHashes,
      receipt,
      hash: receipt.hash,
    }),
  )
  return receipt
}

async function eraseAll(
  { store, clock }: ApiContext,
  operator: Parameters<ApiContext['store']['transact']>[0],
  selector: ErasureSelector,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const textHashes: Buffer[] = []
  for (;;) {
    signal.throwIfAborted()
    const batch = { at: new Date(clock.now()), limit: BATCH }
    const erased = await store.transact(operator, (writer) => eraseBatch(writer, selector, batch), {
      countsMemories: true,
    })
    textHashes.push(...erased.textHashes)
    if (erased.ids.length < BATCH) break
  }
  if ('agentId' in selector) await store.transact(operator, (writer) => forgetAgent(writer, selector.agentId))
  return textHashes
}

/** Until the index has the tombstones, then nothing in the dirty set or the queue names them. */
async function settle(
  { store, indexBuilds, queuedIds }: ApiContext,
  tenantId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (ids.length === 0) return
  const end = performance.now() + INDEX_WAIT_MS
  while ((await store.transact({ tenantId }, (writer) => forgetSettled(writer, ids))) > 0 && performance.now() < end)
    await sleep(100, undefined, { signal })
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
