import { v7 as uuidv7 } from 'uuid'
import { contentHash, faultsOf, type MemoryDraft, textHash } from '../../domain/memory-draft.js'
import { nameKey } from '../../domain/text/memory-text.js'
import { audienceOf } from '../../domain/visibility.js'
import { CairnError, ConflictError, InvalidArgumentsError, NotFoundError } from '../../runtime/errors.js'
import { knownEntityIds, type NamedEntity, upsertEntities } from '../../store/entities.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { findDuplicates, insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { savepoint } from '../../store/savepoint.js'
import type { Writer } from '../../store/store.js'
import { lockQuota, readUsage, takeQuota, type Usage } from '../../store/usage.js'
import type { ApiContext } from '../context.js'
import type { ActingAuthor, Author } from './author.js'

/** What became of one draft; `error` is the draft's own fault and hurts no other. */
export type DraftOutcome =
  | { readonly status: 'created'; readonly id: string }
  | { readonly status: 'duplicate'; readonly id: string }
  | { readonly status: 'error'; readonly error: CairnError }

/** A draft, and where it stands in the request, for the errors' `loc`. */
export interface PlacedDraft {
  readonly draft: MemoryDraft
  readonly loc: readonly string[]
}

/** Stores each draft or says why not. Runs in the write's transaction, under its shared quota lock. */
export async function storeDrafts(
  writer: Writer,
  context: ApiContext,
  { author, viewer }: ActingAuthor,
  drafts: readonly PlacedDraft[],
): Promise<{ outcomes: DraftOutcome[]; usage: Usage }> {
  const now = new Date(context.clock.now())
  const { memories, refused } = await completeDrafts(writer, { author, viewer }, drafts, now)
  const stored = await storeWithinQuota(writer, memories, now)
  const outcomes = drafts.map((_, i) => refused.get(i) ?? stored.outcomes.get(i)!)
  return { outcomes, usage: stored.usage }
}

type Numbered = ReadonlyMap<number, NewMemory>

/** Drafts as rows, with their entities made and found; the others with their faults. By the drafts' positions. */
async function completeDrafts(
  writer: Writer,
  { author, viewer }: ActingAuthor,
  drafts: readonly PlacedDraft[],
  now: Date,
): Promise<{ memories: Numbered; refused: Map<number, DraftOutcome> }> {
  const refused = new Map<number, DraftOutcome>()
  const named = drafts.flatMap(({ draft }) => [draft.subjectEntityId, ...draft.links.map((link) => link.entityId)])
  const asked = [...new Set(named.filter((id) => id !== null))]
  const known = await knownEntityIds(writer, asked, audienceOf(viewer, 'all'))
  drafts.forEach(({ draft, loc }, i) => {
    const error = faultOf(draft, loc, author, known, now)
    if (error) refused.set(i, { status: 'error', error })
  })

  const accepted = drafts.flatMap((prepared, i) => (refused.has(i) ? [] : [{ ...prepared, i }]))
  const names = accepted.flatMap(({ draft }) => draft.links.flatMap((link) => (link.name === null ? [] : [link.name])))
  const entityIds = await upsertEntities(writer, namedEntities(names))

  const memories = new Map<number, NewMemory>()
  for (const { draft, i } of accepted) {
    const links = draft.links.map((link) => ({
      entityId: link.entityId ?? entityIds.get(nameKey(link.name!))!,
      role: link.role ?? '',
      entityType: link.entityType,
    }))
    memories.set(i, {
      ...draft,
      ...author,
      id: uuidv7(),
      memoryType: draft.memoryType === 'semantic' ? 'fact' : draft.memoryType,
      createdAt: now,
      contentHash: contentHash(draft.content),
      textHash: textHash(draft),
      links,
    })
  }
  return { memories, refused }
}

/** One for each name key, in its first spelling. */
function namedEntities(names: readonly string[]): NamedEntity[] {
  const entities = new Map<string, NamedEntity>()
  for (const name of names)
    if (!entities.has(nameKey(name))) entities.set(nameKey(name), { id: uuidv7(), name, nameKey: nameKey(name) })
  return [...entities.values()]
}

function faultOf(
  draft: MemoryDraft,
  loc: readonly string[],
  author: Author,
  known: ReadonlySet<string>,
  now: Date,
): CairnError | null {
  const faults = faultsOf(draft, author, now)
  if (faults.length > 0)
    return new InvalidArgumentsError(
      faults.map(({ field, message }) => ({ loc: [...loc, field], msg: message, type: 'value_error' })),
    )
  const named = [draft.subjectEntityId, ...draft.links.map((link) => link.entityId)]
  return named.some((id) => id !== null && !known.has(id)) ? new NotFoundError('Entity') : null
}

async function storeWithinQuota(
  writer: Writer,
  memories: Numbered,
  now: Date,
): Promise<{ outcomes: Map<number, DraftOutcome>; usage: Usage }> {
  const before = await readUsage(writer)
  if (before.limit === null) {
    const outcomes = await storeRows(writer, memories, now)
    return { outcomes, usage: { ...before, stored: before.stored + countCreated(outcomes) } }
  }
  const takeBack = await savepoint(writer)
  const outcomes = await storeRows(writer, memories, now)
  const usage = await takeQuota(writer, countCreated(outcomes))
  if (usage) return { outcomes, usage }
  await takeBack()
  return storeWhatFits(writer, memories, now)
}

/** Rows that are new, and the duplicates' holders. A holder that has expired makes room: it is outdated first. */
async function storeRows(writer: Writer, memories: Numbered, now: Date): Promise<Map<number, DraftOutcome>> {
  const outcomes = new Map<number, DraftOutcome>()
  let left = [...memories]
  while (left.length > 0) {
    const { stored } = await insertMemories(
      writer,
      left.map(([, memory]) => memory),
    )
    for (const [i, memory] of left) if (stored.has(memory.id)) outcomes.set(i, { status: 'created', id: memory.id })
    left = left.filter(([i]) => !outcomes.has(i))
    const holders = await findDuplicates(
      writer,
      left.map(([, memory]) => memory),
    )
    const expired = [...holders.values()].filter((holder) => holder.expiresAt && holder.expiresAt <= now)
    await changeStatus(
      writer,
      expired.map((holder) => holder.id),
      { from: ['active', 'pending', 'confirmed'], to: 'outdated', at: now },
    )
    for (const [i, memory] of left) {
      const holder = holders.get(memory.contentHash.toString('hex'))
      if (holder && !expired.includes(holder)) outcomes.set(i, { status: 'duplicate', id: holder.id })
    }
    // What is left had an expired holder, or one that another transaction has just moved away: try again.
    left = left.filter(([i]) => !outcomes.has(i))
  }
  return outcomes
}

/** The first rows that the quota has room for, one by one while the tenant's row is held; the rest is refused. */
async function storeWhatFits(
  writer: Writer,
  memories: Numbered,
  now: Date,
): Promise<{ outcomes: Map<number, DraftOutcome>; usage: Usage }> {
  const outcomes = new Map<number, DraftOutcome>()
  let usage = await lockQuota(writer)
  for (const [i, memory] of memories) {
    if (usage.stored < usage.limit!) {
      const [outcome] = (await storeRows(writer, new Map([[i, memory]]), now)).values()
      outcomes.set(i, outcome!)
      if (outcome!.status === 'created') usage = (await takeQuota(writer, 1))!
      continue
    }
    const [holder] = (await findDuplicates(writer, [memory])).values()
    if (holder) outcomes.set(i, { status: 'duplicate', id: holder.id })
    else outcomes.set(i, { status: 'error', error: new CairnError(402, "The tenant's memory quota is used up.") })
  }
  return { outcomes, usage }
}

function countCreated(outcomes: ReadonlyMap<number, DraftOutcome>): number {
  return [...outcomes.values()].filter((outcome) => outcome.status === 'created').length
}

/** The refusal of a single write. */
export function errorOf(outcome: Exclude<DraftOutcome, { status: 'created' }>): CairnError {
  if (outcome.status === 'error') return outcome.error
  return new ConflictError('A live memory with this text exists already.', { existing_id: outcome.id })
}
