import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'safe-stable-stringify'
import { v7 as uuidv7 } from 'uuid'
import { countDerived, markDerived } from '../../store/erasure/derived.js'
import {
  beginErasure,
  countSelected,
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
import { removeUnusedEntities, sweepUnused } from '../../store/erasure/unused.js'
import { type Operator, operatorOf } from '../admin/operator.js'
import { REWRITTEN_TABLES } from '../../store/erasure/vacuum.js'
import type { ApiContext } from '../context.js'
import type { components } from '../contract/contract.gen.js'
import { isClean, keepsIds, searchPlaces } from './places.js'
import { entityIdsOf } from './read-selector.js'
import { openUnread, type UnreadMemories } from './unread-memories.js'

type Receipt = components['schemas']['ErasureReceipt']

const BATCH = 200
/** Unused entities, and vectors, of one transaction. */
const SWEEP = 1_000
/** How long the receipt waits for workers to bring the tombstones into the index. */
const INDEX_WAIT_MS = 15_000

/** Bounds the wait of an erasure for a language model to read what may be about its entity, and reads for it itself. */
const UNREAD_WAIT_MS = 30_000
const PAUSE_MS = 250
/** Bounds the reading of the last round. */
const LAST_READ_MS = 5_000
/** Ends the reclaiming of space this long after the erasure began: the request has 90 s. */
const VACUUM_UNTIL_MS = 75_000

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
  const at = new Date(clock.now())
  const begin = (id: string, isSelected: boolean) =>
    store.transact(operator, (writer) => beginErasure(writer, { id, at, selector, isSelected }))
  // From here on the entity stays, so that every text that names it is linked to this one.
  const { id } = await begin(uuidv7(), false)
  const unread = await openUnread(context, tenantId, selector)
  const patience = { until: at.getTime() + UNREAD_WAIT_MS, signal }
  const missing = (await unread?.find({ ...patience, links: true })) ?? 0
  const { ids: selected } = await begin(id, true)
  const named = entityIdsOf(selector)
  const before = await searchPlaces(context, { tenantId, ids: [...selected, ...named], textHashes: [], at })
  const erasing: Erasing = { id, selector, entityId: unread?.entity.id ?? null }
  const { pendingCount, isOver } = await eraseAll(context, operator, erasing, { unread, missing, ...patience })
  const { ids, textHashes } = await store.read(operator, (reader) => readErased(reader, id))
  const derivedCount = await store.read(operator, (reader) => countDerived(reader, id))
  await settle(context, operator, { ids, named, begunAt: at }, signal)
  if ('agentId' in selector) await store.transact(operator, (writer) => forgetAgent(writer, selector.agentId))
  const after = await searchPlaces(context, { tenantId, ids: [...ids, ...named], textHashes, at })
  const withinMs = at.getTime() + VACUUM_UNTIL_MS - clock.now()
  const reclaimed = await store.vacuum(REWRITTEN_TABLES, { withinMs, signal })

  const places = [...after].map(([place, { holding, mentioning }]) => {
    return {
      place,
      before: before.get(place)?.holding ?? null,
      after: holding,
      mentions: mentioning,
      kept: keepsIds(place),
    }
  })
  const facts = {
    erasure_id: id,
    tenant_id: tenantId,
    at: new Date(clock.now()).toISOString(),
    memory_count: ids.length,
    derived_count: derivedCount,
    pending_count: pendingCount,
    places,
    vacuumed: reclaimed,
    not_vacuumed: REWRITTEN_TABLES.filter((table) => !reclaimed.includes(table)),
    outside: [...OUTSIDE],
    complete: pendingCount === 0 && [...after].every(([place, found]) => isClean(place, found)),
  }
  const receipt: Receipt = { ...facts, hash: hashOf(facts, ids) }
  const end = { id, at: new Date(facts.at), receipt, hash: receipt.hash, isOver }
  return store.transact(operator, (writer) => finishErasure(writer, end))
}

/** Places that no erasure reaches. */
const OUTSIDE = [
  'the write-ahead log of PostgreSQL and its archive, until they are recycled',
  'standbys, until they have replayed it',
  'backups and snapshots of the database, the index, the queue and the disk',
  'pages of files that are free now, until they are written again',
  'logs and copies of whoever read the memories before',
] as const

interface Erasing {
  readonly id: string
  readonly selector: ErasureSelector
  /** Names the entity whose memories go, while there is one. */
  readonly entityId: string | null
}

interface Patience {
  readonly unread: UnreadMemories | undefined
  /** Counts the unread memories that the first search left. */
  readonly missing: number
  readonly until: number
  readonly signal: AbortSignal
}

interface Erased {
  /** Counts unread memories that may be about the entity. */
  readonly pendingCount: number
  /** False when something is left for the same request made again. */
  readonly isOver: boolean
}

/**
 * Erases until nothing is selected any more. Of an entity, reads what is unread and selects again until a round finds nothing, and removes
 * the entity with the last of them. When the time for waiting is up there is one more round, however long the others took to erase.
 */
async function eraseAll(
  context: ApiContext,
  operator: Operator,
  erasing: Erasing,
  { unread, missing, until, signal }: Patience,
): Promise<Erased> {
  const { store, clock } = context
  for (let left = missing, isLast = false; ;) {
    const erased = await eraseSelected(context, operator, erasing, signal)
    const { entityId } = erasing
    if (entityId === null) return { pendingCount: 0, isOver: true }
    if (left === 0 && (erased === 0 || isLast)) {
      const stays = await store.transact(operator, (writer) =>
        removeUnusedEntities(writer, [entityId], { isErased: true }),
      )
      if (stays === 0) return { pendingCount: 0, isOver: true }
    }
    if (isLast) return { pendingCount: left, isOver: false }
    isLast = clock.now() >= until
    if (erased === 0 && !isLast) await sleep(PAUSE_MS, undefined, { signal })
    left = (await unread?.find({ links: true, until: Math.max(until, clock.now() + LAST_READ_MS), signal })) ?? 0
  }
}

/** Returns how many memories there were. */
async function eraseSelected(
  { store, clock }: ApiContext,
  operator: Operator,
  { id: erasureId, selector }: Erasing,
  signal: AbortSignal,
): Promise<number> {
  const count = await store.read(operator, (reader) => countSelected(reader, selector))
  if (count === 0) return 0
  await store.transact(operator, (writer) => forgetRuns(writer, selector))
  await store.transact(operator, (writer) => markDerived(writer, selector, erasureId))
  let total = 0
  for (let erased = BATCH; erased === BATCH; total += erased) {
    signal.throwIfAborted()
    const batch = { erasureId, at: new Date(clock.now()), limit: BATCH }
    const { ids } = await store.transact(operator, (writer) => eraseBatch(writer, selector, batch), {
      countsMemories: true,
    })
    erased = ids.length
  }
  return total
}

/**
 * Until every index has the tombstones or is gone; then nothing in the dirty set or the queue names them, and what work that was under way has
 * left of them goes too.
 */
async function settle(
  { store, indexBuilds, queuedIds }: ApiContext,
  operator: Operator,
  {
    ids,
    named,
    begunAt,
  }: { readonly ids: readonly string[]; readonly named: readonly string[]; readonly begunAt: Date },
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + INDEX_WAIT_MS
  if (ids.length > 0) await store.asSystem(dropFailedBuilds)
  const left = async () =>
    (await store.transact(operator, (writer) => forgetSettled(writer, ids))) +
    (ids.length > 0 ? await store.asSystem((system) => countLeaving(system, begunAt)) : 0)
  while ((await left()) > 0 && performance.now() < end) await sleep(100, undefined, { signal })
  await store.transact(operator, (writer) => forgetMentions(writer, [...ids, ...named]))
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
