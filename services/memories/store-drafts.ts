import { v7 as uuidv7 } from 'uuid'
import {
  contentHash,
  type DraftFault,
  entitiesNamedIn,
  faultsOf,
  type MemoryDraft,
  storedType,
  textHash,
} from '../../domain/memory-draft.js'
import { isStanding } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { type PiiPolicy, type ScreeningResult, screenInSteps } from '../../domain/personal-data/screen.js'
import { audienceOf, type Viewer } from '../../domain/visibility.js'
import { type CairnError, ConflictError, NotFoundError, QuotaError } from '../../runtime/errors.js'
import { readSpellings } from '../../store/entities.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { findLanguages } from '../../store/memories/find-languages.js'
import { renewHashesOf } from '../../store/memories/former-hashes.js'
import { supersede, type SupersedeOptions } from './supersede.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { type LockedMemory, lockMemories } from '../../store/memories/lock-memories.js'
import { findDuplicates, insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { createSavepoint } from '../../store/savepoint.js'
import type { PendingKind } from '../../store/schema.js'
import type { Writer } from '../../store/store.js'
import { lockUsage, readWriteRules, takeQuota, type Usage } from '../../store/memories/usage.js'
import type { WriteContext } from './context.js'
import type { ActingAuthor, WriteAuthor } from '../access/author.js'
import { refusalOf } from './draft-faults.js'
import { linkEntities, subjectIdOf } from './link-entities.js'
import { foreignFault } from '../access/trust.js'

/** The outcome of one draft. An `error` does not affect the other drafts. */
export type DraftOutcome =
  | { readonly status: 'created'; readonly id: string }
  | { readonly status: 'duplicate'; readonly id: string }
  | { readonly status: 'error'; readonly error: CairnError }

/** A draft, and its path in the operation's input for the errors. */
interface LocatedDraft {
  readonly draft: MemoryDraft
  readonly path: readonly string[]
}

/** Stores the drafts and returns an outcome for each. Runs in the write's transaction, under its shared lock of the tenant's quota. */
export async function storeDrafts(
  writer: Writer,
  context: WriteContext,
  { author, viewer }: ActingAuthor,
  drafts: readonly LocatedDraft[],
  signal: AbortSignal,
): Promise<{ outcomes: DraftOutcome[]; usage: Usage }> {
  const now = new Date(context.clock.now())
  const rules = await readWriteRules(writer)
  const { settings } = rules
  const screened = await new Slices({ signal }).run(screenDrafts(drafts, settings.memory.pii_policy))
  if (rules.hasFormerHashes)
    await renewHashesOf(
      writer,
      screened.map(({ draft }) => draft.content),
    )
  const { memories, refused } = await completeDrafts(writer, context, { author, viewer }, screened, now)
  const write = {
    writer: { ...writer, actor: { ...writer.actor, agentId: author.agentId } },
    trust: viewer.trust,
    settings,
    now,
    kinds:
      context.enrichment.enabled && settings.enrichment.enabled
        ? (['memory', 'enrich'] as const)
        : (['memory'] as const),
  }
  const stored = await storeWithinQuota(write, memories, rules)
  const outcomes = drafts.map((_, i) => refused.get(i) ?? stored.outcomes.get(i)!)
  return { outcomes, usage: stored.usage }
}

type MemoriesByPosition = ReadonlyMap<number, DraftedMemory>

interface DraftedMemory extends NewMemory {
  readonly supersedesId: string | null
}

/** The transaction and the rights of the author in it. */
interface DraftWrite extends SupersedeOptions {
  readonly writer: Writer
  /** Jobs to enqueue for each row. */
  readonly kinds: readonly PendingKind[]
}

/** A draft as the tenant's policy on personal data lets it be stored, and the faults that it found. */
interface ScreenedDraft extends LocatedDraft {
  readonly faults: readonly DraftFault[]
  readonly pii: ScreeningResult<MemoryDraft>['pii']
}

function* screenDrafts(drafts: readonly LocatedDraft[], policy: PiiPolicy): Yielding<ScreenedDraft[]> {
  const screened: ScreenedDraft[] = []
  for (const { draft, path } of drafts) {
    const { fields, faults, pii } = yield* screenInSteps(draft, policy)
    screened.push({ draft: fields, path, faults, pii })
    yield
  }
  return screened
}

/** Returns the valid drafts as rows, with their entities, and an outcome for each refused one; both by the drafts' positions. */
async function completeDrafts(
  writer: Writer,
  { tenantLanguages }: WriteContext,
  { author, viewer }: ActingAuthor,
  drafts: readonly ScreenedDraft[],
  now: Date,
): Promise<{ memories: MemoriesByPosition; refused: Map<number, DraftOutcome> }> {
  const refused = new Map<number, DraftOutcome>()
  const named = [...new Set(drafts.flatMap(({ draft }) => entitiesNamedIn(draft)))]
  const known = await readSpellings(writer, named, audienceOf(viewer, 'all'))
  const older = [...new Set(drafts.flatMap(({ draft }) => draft.supersedesId ?? []))]
  // Locked until the transaction ends, so that no other write supersedes them meanwhile. Each can be superseded once.
  const locked = await lockMemories(writer, audienceOf(viewer, 'all'), older)
  drafts.forEach((screened, i) => {
    const { draft } = screened
    const error = faultOf(screened, author, known, now) ?? supersedingFault(draft.supersedesId, viewer, locked)
    if (error) refused.set(i, { status: 'error', error })
    else if (draft.supersedesId !== null)
      locked.set(draft.supersedesId, { ...locked.get(draft.supersedesId)!, status: 'outdated' })
  })

  const accepted = drafts.flatMap((prepared, i) => (refused.has(i) ? [] : [{ ...prepared, i }]))
  const links = await linkEntities(
    writer,
    accepted.map(({ draft }) => draft.links),
    known,
  )
  const unsaid = accepted.map(({ draft }) => draft).filter(({ language }) => language === null)
  const texts = unsaid.map(({ content, runId }) => ({ content, runId, agentId: author.agentId }))
  const languages = texts.length === 0 ? [] : await findLanguages(writer, texts, await tenantLanguages.of(writer))
  const languageBy = new Map(unsaid.map((draft, n) => [draft, languages[n]!]))
  const memories = accepted.map(({ draft, pii, i }, n): [number, DraftedMemory] => [
    i,
    {
      ...draft,
      ...author,
      id: uuidv7(),
      memoryType: storedType(draft.memoryType),
      language: draft.language ?? languageBy.get(draft) ?? null,
      typeGiven: draft.memoryType !== null,
      systemMetadata: pii === null ? {} : { pii },
      createdAt: now,
      contentHash: contentHash(draft.content),
      textHash: textHash(draft),
      links: links[n]!,
      subjectEntityId: subjectIdOf(draft, links[n]!),
    },
  ])
  return { memories: new Map(memories), refused }
}

function faultOf(
  { draft, path, faults: screening }: ScreenedDraft,
  author: WriteAuthor,
  known: ReadonlyMap<string, string>,
  now: Date,
): CairnError | null {
  const refusal = refusalOf([...faultsOf(draft, author, now), ...screening], path)
  if (refusal) return refusal
  return entitiesNamedIn(draft).every((id) => known.has(id)) ? null : new NotFoundError('Entity')
}

/** Returns the error for superseding this memory: one's own needs trust 1, others' trust 3, and its status must be a standing one. */
function supersedingFault(
  olderId: string | null,
  viewer: Viewer,
  locked: ReadonlyMap<string, LockedMemory>,
): CairnError | null {
  if (olderId === null) return null
  const older = locked.get(olderId)
  if (!older) return new NotFoundError('Superseded memory')
  const foreign = foreignFault(viewer, older)
  if (foreign) return foreign
  if (isStanding(older.status)) return null
  const details = { from: older.status, to: 'outdated' }
  return new ConflictError(`A memory that is ${older.status} cannot be superseded.`, { details })
}

async function storeWithinQuota(
  write: DraftWrite,
  memories: MemoriesByPosition,
  before: Usage,
): Promise<{ outcomes: Map<number, DraftOutcome>; usage: Usage }> {
  const { writer } = write
  if (before.limit === null) {
    const outcomes = await storeRows(write, memories)
    return { outcomes, usage: { limit: null, stored: before.stored + countCreated(outcomes) } }
  }
  const rollbackToSavepoint = await createSavepoint(writer)
  const outcomes = await storeRows(write, memories)
  const usage = await takeQuota(writer, countCreated(outcomes))
  if (usage) return { outcomes, usage }
  await rollbackToSavepoint()
  return storeWhatFits(write, memories)
}

/**
 * Stores the rows whose text is new, and supersedes what they contradict; the others get the id of the duplicate. A duplicate that has
 * expired, or that the row supersedes, is marked outdated first.
 */
async function storeRows(write: DraftWrite, memories: MemoriesByPosition): Promise<Map<number, DraftOutcome>> {
  const { writer, now, kinds } = write
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
    const duplicates = await findDuplicates(
      writer,
      left.map(([, memory]) => memory),
    )
    const leaving = left.flatMap(([, { contentHash, supersedesId }]) => {
      const duplicate = duplicates.get(contentHash.toString('hex'))
      const leaves = duplicate && ((duplicate.expiresAt && duplicate.expiresAt <= now) || duplicate.id === supersedesId)
      return leaves ? [duplicate] : []
    })
    const superseded = new Set(left.map(([, { supersedesId }]) => supersedesId))
    for (const isSupersession of [false, true])
      await changeStatus(
        writer,
        leaving.map(({ id }) => id).filter((id) => superseded.has(id) === isSupersession),
        { from: LIVE_STATUSES, to: 'outdated', at: now, isSupersession },
      )
    for (const [i, memory] of left) {
      const duplicate = duplicates.get(memory.contentHash.toString('hex'))
      if (duplicate && !leaving.includes(duplicate)) outcomes.set(i, { status: 'duplicate', id: duplicate.id })
    }
    // The duplicates of the remaining rows were marked outdated, here or by another transaction: try again.
    left = left.filter(([i]) => !outcomes.has(i))
  }
  const stored = [...memories].flatMap(([i, memory]) => (outcomes.get(i)?.status === 'created' ? [memory] : []))
  await supersede(writer, stored, write)
  return outcomes
}

/** Stores rows one by one, with the tenant's quota row locked, until the quota is used up. Refuses the rest. */
async function storeWhatFits(
  write: DraftWrite,
  memories: MemoriesByPosition,
): Promise<{ outcomes: Map<number, DraftOutcome>; usage: Usage }> {
  const outcomes = new Map<number, DraftOutcome>()
  const { writer } = write
  let usage = await lockUsage(writer)
  for (const [i, memory] of memories) {
    if (usage.stored < usage.limit!) {
      const [outcome] = (await storeRows(write, new Map([[i, memory]]))).values()
      outcomes.set(i, outcome!)
      if (outcome!.status === 'created') usage = (await takeQuota(writer, 1))!
      continue
    }
    const [duplicate] = (await findDuplicates(writer, [memory])).values()
    if (duplicate) outcomes.set(i, { status: 'duplicate', id: duplicate.id })
    else outcomes.set(i, { status: 'error', error: new QuotaError("The tenant's memory quota is used up.") })
  }
  return { outcomes, usage }
}

function countCreated(outcomes: ReadonlyMap<number, DraftOutcome>): number {
  return [...outcomes.values()].filter((outcome) => outcome.status === 'created').length
}

/** Returns the error of a single write that created nothing. */
export function errorOf(outcome: Exclude<DraftOutcome, { status: 'created' }>): CairnError {
  if (outcome.status === 'error') return outcome.error
  return new ConflictError('A live memory with this text exists already.', { details: { existing_id: outcome.id } })
}
