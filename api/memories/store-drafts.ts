import { v7 as uuidv7 } from 'uuid'
import {
  contentHash,
  type DraftFault,
  faultsOf,
  type MemoryDraft,
  storedType,
  textHash,
} from '../../domain/memory-draft.js'
import { isStanding } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { type PiiPolicy, type Screened, screenInTurns } from '../../domain/personal-data/screen.js'
import { audienceOf, type Viewer } from '../../domain/visibility.js'
import { CairnError, ConflictError, NotFoundError, TrustError } from '../../runtime/errors.js'
import { readSpellings } from '../../store/entities.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { displace, type Displacing } from '../../store/memories/displace.js'
import { createTurns } from '../../runtime/turns.js'
import { type HeldMemory, holdMemories } from '../../store/memories/hold-memories.js'
import { findDuplicates, insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { savepoint } from '../../store/savepoint.js'
import type { PendingKind } from '../../store/schema.js'
import type { Writer } from '../../store/store.js'
import { lockQuota, readWriteRules, takeQuota, type Usage } from '../../store/tenants/usage.js'
import type { ApiContext } from '../context.js'
import type { ActingAuthor, Author } from './author.js'
import { refusalOf } from './draft-faults.js'
import { linkEntities } from './link-entities.js'

/** The outcome of one draft. An `error` does not affect the other drafts. */
export type DraftOutcome =
  | { readonly status: 'created'; readonly id: string }
  | { readonly status: 'duplicate'; readonly id: string }
  | { readonly status: 'error'; readonly error: CairnError }

/** A draft, and its position in the request for the errors' `loc`. */
export interface PlacedDraft {
  readonly draft: MemoryDraft
  readonly loc: readonly string[]
}

/** Stores the drafts and returns an outcome for each. Runs in the write's transaction, under its shared lock of the tenant's quota. */
export async function storeDrafts(
  writer: Writer,
  context: ApiContext,
  { author, viewer }: ActingAuthor,
  drafts: readonly PlacedDraft[],
  signal: AbortSignal,
): Promise<{ outcomes: DraftOutcome[]; usage: Usage }> {
  const now = new Date(context.clock.now())
  const rules = await readWriteRules(writer)
  const { settings } = rules
  const screened = await screenDrafts(drafts, settings.memory.pii_policy, signal)
  const { memories, refused } = await completeDrafts(writer, { author, viewer }, screened, now)
  const acting = {
    writer: { ...writer, actor: { ...writer.actor, agentId: author.agentId } },
    trust: viewer.trust,
    settings,
    now,
    kinds:
      context.enrichment.enabled && settings.enrichment.enabled
        ? (['memory', 'enrich'] as const)
        : (['memory'] as const),
  }
  const stored = await storeWithinQuota(acting, memories, rules)
  const outcomes = drafts.map((_, i) => refused.get(i) ?? stored.outcomes.get(i)!)
  return { outcomes, usage: stored.usage }
}

type Numbered = ReadonlyMap<number, DraftedMemory>

interface DraftedMemory extends NewMemory {
  readonly supersedesId: string | null
}

/** The transaction and the rights of the author in it. */
interface Storing extends Displacing {
  readonly writer: Writer
  /** Jobs to enqueue for each row. */
  readonly kinds: readonly PendingKind[]
}

/** A draft as the tenant's policy on personal data lets it be stored, and the faults that it found. */
interface ScreenedDraft extends PlacedDraft {
  readonly faults: readonly DraftFault[]
  readonly pii: Screened<MemoryDraft>['pii']
}

async function screenDrafts(
  drafts: readonly PlacedDraft[],
  policy: PiiPolicy,
  signal: AbortSignal,
): Promise<ScreenedDraft[]> {
  const turn = createTurns({ signal })
  const screened: ScreenedDraft[] = []
  for (const { draft, loc } of drafts) {
    const { fields, faults, pii } = await screenInTurns(draft, policy, turn)
    screened.push({ draft: fields, loc, faults, pii })
    await turn()
  }
  return screened
}

/** Returns the valid drafts as rows, with their entities, and an outcome for each refused one; both by the drafts' positions. */
async function completeDrafts(
  writer: Writer,
  { author, viewer }: ActingAuthor,
  drafts: readonly ScreenedDraft[],
  now: Date,
): Promise<{ memories: Numbered; refused: Map<number, DraftOutcome> }> {
  const refused = new Map<number, DraftOutcome>()
  const named = drafts.flatMap(({ draft }) => [draft.subjectEntityId, ...draft.links.map((link) => link.entityId)])
  const asked = [...new Set(named.filter((id) => id !== null))]
  const known = await readSpellings(writer, asked, audienceOf(viewer, 'all'))
  const older = [...new Set(drafts.flatMap(({ draft }) => draft.supersedesId ?? []))]
  // Locked until the transaction ends, so that no other write supersedes them meanwhile. Each can be superseded once.
  const held = await holdMemories(writer, audienceOf(viewer, 'all'), older)
  drafts.forEach((screened, i) => {
    const { draft } = screened
    const error = faultOf(screened, author, known, now) ?? supersedingFault(draft.supersedesId, viewer, held)
    if (error) refused.set(i, { status: 'error', error })
    else if (draft.supersedesId !== null)
      held.set(draft.supersedesId, { ...held.get(draft.supersedesId)!, status: 'outdated' })
  })

  const accepted = drafts.flatMap((prepared, i) => (refused.has(i) ? [] : [{ ...prepared, i }]))
  const links = await linkEntities(
    writer,
    accepted.map(({ draft }) => draft.links),
    known,
  )
  const memories = accepted.map(({ draft, pii, i }, n): [number, DraftedMemory] => [
    i,
    {
      ...draft,
      ...author,
      id: uuidv7(),
      memoryType: storedType(draft.memoryType),
      typeGiven: draft.memoryType !== null,
      systemMetadata: pii === null ? {} : { pii },
      createdAt: now,
      contentHash: contentHash(draft.content),
      textHash: textHash(draft),
      links: links[n]!,
    },
  ])
  return { memories: new Map(memories), refused }
}

function faultOf(
  { draft, loc, faults: screening }: ScreenedDraft,
  author: Author,
  known: ReadonlyMap<string, string>,
  now: Date,
): CairnError | null {
  const refusal = refusalOf([...faultsOf(draft, author, now), ...screening], loc)
  if (refusal) return refusal
  const named = [draft.subjectEntityId, ...draft.links.map((link) => link.entityId)]
  return named.some((id) => id !== null && !known.has(id)) ? new NotFoundError('Entity') : null
}

/** Returns the error for superseding this memory: one's own needs trust 1, others' trust 3, and its status must be a standing one. */
function supersedingFault(
  olderId: string | null,
  viewer: Viewer,
  held: ReadonlyMap<string, HeldMemory>,
): CairnError | null {
  if (olderId === null) return null
  const older = held.get(olderId)
  if (!older) return new NotFoundError('Superseded memory')
  if (older.agentId !== viewer.agentId && viewer.trust < 3) return new TrustError(3, viewer.trust)
  if (isStanding(older.status)) return null
  const details = { from: older.status, to: 'outdated' }
  return new ConflictError(`A memory that is ${older.status} cannot be superseded.`, details)
}

async function storeWithinQuota(
  storing: Storing,
  memories: Numbered,
  before: Usage,
): Promise<{ outcomes: Map<number, DraftOutcome>; usage: Usage }> {
  const { writer } = storing
  if (before.limit === null) {
    const outcomes = await storeRows(storing, memories)
    return { outcomes, usage: { limit: null, stored: before.stored + countCreated(outcomes) } }
  }
  const takeBack = await savepoint(writer)
  const outcomes = await storeRows(storing, memories)
  const usage = await takeQuota(writer, countCreated(outcomes))
  if (usage) return { outcomes, usage }
  await takeBack()
  return storeWhatFits(storing, memories)
}

/**
 * Stores the rows whose text is new, and supersedes what they contradict; the others get the id of the duplicate. A duplicate that has
 * expired, or that the row supersedes, is marked outdated first.
 */
async function storeRows(storing: Storing, memories: Numbered): Promise<Map<number, DraftOutcome>> {
  const { writer, now, kinds } = storing
  const outcomes = new Map<number, DraftOutcome>()
  let left = [...memories]
  while (left.length > 0) {
    const { stored } = await insertMemories(
      writer,
      left.map(([, memory]) => memory),
      { kinds },
    )
    for (const [i, memory] of left) if (stored.has(memory.id)) outcomes.set(i, { status: 'created', id: memory.id })
    left = left.filter(([i]) => !outcomes.has(i))
    const holders = await findDuplicates(
      writer,
      left.map(([, memory]) => memory),
    )
    const leaving = left.flatMap(([, { contentHash, supersedesId }]) => {
      const holder = holders.get(contentHash.toString('hex'))
      const leaves = holder && ((holder.expiresAt && holder.expiresAt <= now) || holder.id === supersedesId)
      return leaves ? [holder] : []
    })
    await changeStatus(
      writer,
      leaving.map((holder) => holder.id),
      { from: LIVE_STATUSES, to: 'outdated', at: now },
    )
    for (const [i, memory] of left) {
      const holder = holders.get(memory.contentHash.toString('hex'))
      if (holder && !leaving.includes(holder)) outcomes.set(i, { status: 'duplicate', id: holder.id })
    }
    // The duplicates of the remaining rows were marked outdated, here or by another transaction: try again.
    left = left.filter(([i]) => !outcomes.has(i))
  }
  const stored = [...memories].flatMap(([i, memory]) => (outcomes.get(i)?.status === 'created' ? [memory] : []))
  await displace(writer, stored, storing)
  return outcomes
}

/** Stores rows one by one, with the tenant's quota row locked, until the quota is used up. Refuses the rest. */
async function storeWhatFits(
  storing: Storing,
  memories: Numbered,
): Promise<{ outcomes: Map<number, DraftOutcome>; usage: Usage }> {
  const outcomes = new Map<number, DraftOutcome>()
  const { writer } = storing
  let usage = await lockQuota(writer)
  for (const [i, memory] of memories) {
    if (usage.stored < usage.limit!) {
      const [outcome] = (await storeRows(storing, new Map([[i, memory]]))).values()
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

/** Returns the error of a single write that created nothing. */
export function errorOf(outcome: Exclude<DraftOutcome, { status: 'created' }>): CairnError {
  if (outcome.status === 'error') return outcome.error
  return new ConflictError('A live memory with this text exists already.', { existing_id: outcome.id })
}
