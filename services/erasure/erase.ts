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
  noteSkills,
  readErased,
} from '../../store/erasure/erasures.js'
import { forgetNames } from '../../store/erasure/forget-names.js'
import { countMentions } from '../../store/erasure/mentions.js'
import type { ErasedEntity } from '../../store/erasure/unread.js'
import { countDropping, dropFailedBuilds } from '../../store/indexing/index-builds.js'
import { removeUnusedEntities, sweepUnused } from '../../store/unused.js'
import { type Operator, operatorOf } from '../admin/operator.js'
import { REWRITTEN_TABLES } from '../../store/vacuum.js'
import type { OperatingContext } from '../operating-context.js'
import type { components } from '../../contract/types.js'
import { eraseEvidence, eraseNamingSkills, forgetGoneSkillNames } from '../skills/erase-evidence.js'
import { keepsIds, remainingIn, searchPlaces } from './places.js'
import { openUnread, type UnreadMemories } from './unread-memories.js'

type Receipt = components['schemas']['ErasureReceipt']

const BATCH_SIZE = 200
/** Unused entities, and vectors, that one transaction removes. */
const SWEEP_BATCH_SIZE = 1_000
/** Milliseconds that an erasure waits for workers to write the tombstones into the index. */
const INDEX_WAIT_MS = 15_000

/** Milliseconds that an erasure reads memories that may be about its entity, or waits for a language model to read them. */
const UNREAD_WAIT_MS = 30_000
const POLL_INTERVAL_MS = 250
/** Bounds the reading of the last round. */
const LAST_READ_MS = 5_000
/** Ends the reclaiming of space this long after the erasure began: the request has 90 s. */
const VACUUM_UNTIL_MS = 75_000

/**
 * Erases the selected memories in batches, and returns what each place held before and holds after. An interrupted erasure leaves whole
 * batches erased and is recorded: a repeated request erases the rest, and its receipt covers all of it. The index, and every copy of it,
 * follows through the dirty set, as after every change.
 */
export async function erase(
  context: OperatingContext,
  tenantId: string,
  selector: ErasureSelector,
  signal: AbortSignal,
): Promise<Receipt> {
  const { store, clock } = context
  const operator = operatorOf(tenantId)
  const at = new Date(clock.now())
  const begin = (id: string, isSelected: boolean) =>
    store.transact(operator, (writer) => beginErasure(writer, { id, at, selector, isSelected }))
  // From here on the entity is not removed as unused, so that every text that names it is linked to this row.
  const { id } = await begin(uuidv7(), false)
  const unread = await openUnread(context, tenantId, selector)
  const waitOptions = { until: at.getTime() + UNREAD_WAIT_MS, signal }
  const missing = (await unread?.find({ ...waitOptions, links: true })) ?? 0
  const { ids: selected } = await begin(id, true)
  const named = entityIdsOf(selector)
  const nothing = { textHashes: [], skillIds: [], names: [] }
  const before = await searchPlaces(context, { tenantId, ids: [...selected, ...named], ...nothing, at })
  const erasureRun: ErasureRun = { id, selector, entity: unread?.entity ?? null }
  const { pendingCount, names, skills } = await eraseAll(context, operator, erasureRun, {
    unread,
    missing,
    ...waitOptions,
  })
  const { ids, textHashes, skillIds } = await store.read(operator, (reader) => readErased(reader, id))
  const derivedCount = await store.read(operator, (reader) => countDerived(reader, id))
  await removeRemainingTraces(context, operator, { ids, skillIds, named, startedAt: at }, signal)
  if ('agentId' in selector) await store.transact(operator, (writer) => forgetAgent(writer, selector.agentId))
  const after = await searchPlaces(context, { tenantId, ids: [...ids, ...named], textHashes, skillIds, names, at })
  const remaining = remainingIn(after)
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
    reviewed_skill_count: skills.reviewed.size,
    withdrawn_skill_count: skills.withdrawn.size,
    pending_count: pendingCount,
    places,
    vacuumed: reclaimed,
    not_vacuumed: REWRITTEN_TABLES.filter((table) => !reclaimed.includes(table)),
    outside: [...UNREACHED_PLACES],
    remaining,
    complete: pendingCount === 0 && remaining.length === 0,
  }
  const receipt: Receipt = { ...facts, hash: hashOf(facts, ids) }
  const isOver = pendingCount === 0 && names.length === 0
  const end = { id, at: new Date(facts.at), receipt, hash: receipt.hash, isOver }
  return store.transact(operator, (writer) => finishErasure(writer, end))
}

/** Places that no erasure reaches, as named in the receipt. */
const UNREACHED_PLACES = [
  'the write-ahead log of PostgreSQL and its archive, until they are recycled',
  'standbys, until they have replayed it',
  'backups and snapshots of the database, the index, the queue and the disk',
  'pages of files that are free now, until they are written again',
  'logs and copies of whoever read the memories before',
] as const

interface ErasureRun {
  readonly id: string
  readonly selector: ErasureSelector
  /** The entity whose memories are erased, or null. */
  readonly entity: ErasedEntity | null
}

interface WaitOptions {
  readonly unread: UnreadMemories | undefined
  /** Number of unread memories that the first pass left. */
  readonly missing: number
  readonly until: number
  readonly signal: AbortSignal
}

interface Erased {
  /** Counts unread memories that may be about the entity. */
  readonly pendingCount: number
  /** The entity's name while it is there: some texts still have it, or may have, and the same request made again goes on with them. */
  readonly names: readonly string[]
  /** Skills that had words of what this request erased. */
  readonly skills: SkillChanges
}

interface SkillChanges {
  readonly reviewed: Set<string>
  readonly withdrawn: Set<string>
}

/**
 * Erases until nothing is selected any more. Of an entity, reads what is unread and selects again until a round finds nothing, and removes
 * the entity with the last of them, unless a text that callers wrote still has its name. When the time for waiting is up there is one more
 * round, however long the others took to erase.
 */
async function eraseAll(
  context: OperatingContext,
  operator: Operator,
  erasureRun: ErasureRun,
  { unread, missing, until, signal }: WaitOptions,
): Promise<Erased> {
  const { clock } = context
  const skills: SkillChanges = { reviewed: new Set(), withdrawn: new Set() }
  const { entity } = erasureRun
  for (let left = missing, isLast = false; ;) {
    const erased = await eraseSelected(context, operator, erasureRun, { skills, signal })
    if (entity === null) return { pendingCount: 0, names: [], skills }
    const names = [entity.nameKey]
    if (isLast || (left === 0 && erased === 0)) {
      const end = await eraseName(context, operator, erasureRun, { entity, skills, signal, isRead: left === 0 })
      if (end === 'gone') return { pendingCount: 0, names: [], skills }
      if (end === 'mentioned' || isLast) return { pendingCount: left, names, skills }
    }
    isLast = clock.now() >= until
    if (erased === 0 && !isLast) await sleep(POLL_INTERVAL_MS, undefined, { signal })
    left = (await unread?.find({ links: true, until: Math.max(until, clock.now() + LAST_READ_MS), signal })) ?? 0
  }
}

interface NameOptions {
  readonly entity: ErasedEntity
  readonly skills: SkillChanges
  readonly signal: AbortSignal
  /** True when no text that may be about the entity is left to be read. */
  readonly isRead: boolean
}

/**
 * Takes the name of an entity out of what the Forge has made and the service has recorded, then removes the entity if no text has its name
 * any more. Returns whether it is gone, some text names it, or a memory was linked to it meanwhile.
 */
async function eraseName(
  context: OperatingContext,
  operator: Operator,
  { id: erasureId }: ErasureRun,
  { entity, skills, signal, isRead }: NameOptions,
): Promise<'gone' | 'mentioned' | 'linked'> {
  const { store, clock } = context
  const names = [entity.nameKey]
  await store.transact(operator, async (writer) => {
    const options = { at: new Date(clock.now()), signal }
    const withdrawn = await eraseNamingSkills(writer, names, options)
    await noteSkills(writer, erasureId, withdrawn)
    for (const skillId of withdrawn) skills.withdrawn.add(skillId)
  })
  await store.transact(operator, forgetGoneSkillNames)
  await store.transact(operator, (writer) => forgetNames(writer, names))
  const { tenantId } = operator
  const tables = await store.asSystem((system) => countMentions(system, { tenantId, ids: [], textHashes: [], names }))
  const isNamed = [...tables].some(([table, { naming }]) => naming > (table === 'entities' ? 1 : 0))
  if (isNamed || !isRead) return 'mentioned'
  const stays = await store.transact(operator, (writer) =>
    removeUnusedEntities(writer, [entity.id], { isErased: true }),
  )
  return stays === 0 ? 'gone' : 'linked'
}

/**
 * Erases what is selected now, and adds the skills that had words of it to `skills`: those that lost words have left
 * service when this resolves. Returns the number of selected memories.
 */
async function eraseSelected(
  { store, clock }: OperatingContext,
  operator: Operator,
  { id: erasureId, selector }: ErasureRun,
  { skills, signal }: { readonly skills: SkillChanges; readonly signal: AbortSignal },
): Promise<number> {
  const count = await store.read(operator, (reader) => countSelected(reader, selector))
  if (count === 0) return 0
  await store.transact(operator, (writer) => forgetRuns(writer, selector))
  await store.transact(operator, (writer) => markDerived(writer, selector, erasureId))
  let total = 0
  for (let erased = BATCH_SIZE; erased === BATCH_SIZE; total += erased) {
    signal.throwIfAborted()
    const batch = { erasureId, at: new Date(clock.now()), limit: BATCH_SIZE }
    const { ids, changed } = await store.transact(
      operator,
      async (writer) => {
        const { ids, texts } = await eraseBatch(writer, selector, batch)
        const changed = await eraseEvidence(writer, texts, { at: batch.at, signal })
        await noteSkills(writer, erasureId, changed.withdrawn)
        return { ids, changed }
      },
      { countsMemories: true },
    )
    for (const skillId of changed.reviewed) skills.reviewed.add(skillId)
    for (const skillId of changed.withdrawn) skills.withdrawn.add(skillId)
    erased = ids.length
  }
  return total
}

/**
 * Waits until every index has the tombstones, those of withdrawn skills too, or is removed, 15 s at most. Then removes the ids from the dirty set and the queues, and what
 * jobs that were running have left of the memories.
 */
async function removeRemainingTraces(
  { store, indexBuilds, queuedIds }: OperatingContext,
  operator: Operator,
  {
    ids,
    skillIds,
    named,
    startedAt,
  }: {
    readonly ids: readonly string[]
    readonly skillIds: readonly string[]
    readonly named: readonly string[]
    readonly startedAt: Date
  },
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + INDEX_WAIT_MS
  if (ids.length > 0) await store.asSystem(dropFailedBuilds)
  const left = async () =>
    (await store.transact(operator, (writer) => forgetSettled(writer, ids, skillIds))) +
    (ids.length > 0 ? await store.asSystem((system) => countDropping(system, startedAt)) : 0)
  while ((await left()) > 0 && performance.now() < end) await sleep(100, undefined, { signal })
  await store.transact(operator, (writer) => forgetMentions(writer, [...ids, ...named]))
  await store.transact(operator, forgetGoneSkillNames)
  while (await store.transact(operator, (writer) => sweepUnused(writer, SWEEP_BATCH_SIZE))) signal.throwIfAborted()
  if (ids.length + skillIds.length === 0) return
  // The receipt names the indexes and queues that are unavailable.
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

/** Returns the entity that an erasure selects by, if it does: its traces are searched for like those of the memories. */
export function entityIdsOf(selector: ErasureSelector): string[] {
  return 'subjectEntityId' in selector ? [selector.subjectEntityId] : []
}
