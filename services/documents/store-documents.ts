import { v7 as uuidv7 } from 'uuid'
import { fieldChanges } from '../../domain/documents/changes.js'
import type { DocumentData, DocumentMetadata } from '../../domain/documents/document.js'
import { fieldsFault } from '../../domain/documents/fields.js'
import { documentLanguage, documentTextHash } from '../../domain/documents/text.js'
import { type PiiPolicy, screenInSteps } from '../../domain/personal-data/screen.js'
import type { Viewer } from '../../domain/visibility.js'
import { digitsFault } from '../../domain/written-digits.js'
import { CairnError } from '../../runtime/errors.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import type { DocumentRow } from '../../store/documents/document-row.js'
import {
  type DocumentChange,
  lockDocuments,
  insertDocuments,
  updateDocuments,
} from '../../store/documents/write-documents.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { ActingAuthor } from '../access/author.js'
import { refusalOf } from '../memories/draft-faults.js'
import { isSameJson } from '../same-json.js'
import { requireOwnFleet } from '../access/trust.js'

/** A document to write, and its path in the operation's input for the errors. */
interface DocumentDraft {
  readonly docId: string
  readonly data: DocumentData
  /** Null means the document's present fleet, or the caller's for a new document. */
  readonly fleetId: string | null
  readonly path: readonly string[]
  /** Throws ConflictError when the document must not be written over this row; null for none. Absent when any will do. */
  readonly requireVersion?: (before: DocumentRow | null) => void
}

/** The outcome of one draft. An `error` does not affect the other drafts. */
export type DocumentOutcome =
  | { readonly status: 'created' | 'updated' | 'unchanged'; readonly row: DocumentRow }
  | { readonly status: 'error'; readonly error: CairnError }

/**
 * Writes the drafts into the collection, in the write's transaction, and returns an outcome for each. When several have the same name,
 * the later ones become versions of the document that the first one created.
 */
export async function storeDocuments(
  writer: Writer,
  { author, viewer }: ActingAuthor,
  drafts: readonly DocumentDraft[],
  { collection, at, signal }: { readonly collection: string; readonly at: Date; readonly signal: AbortSignal },
): Promise<DocumentOutcome[]> {
  const outcomes = new Map<DocumentDraft, DocumentOutcome>()
  const writeContext = {
    writer: { ...writer, actor: { ...writer.actor, agentId: author.agentId } },
    viewer,
    collection,
    at,
    newId: createIdSequence(at),
    signal,
  }
  const { memory: settings } = await readSettings(writer)
  let left: ScreenedDraft[] = []
  for (const [draft, screened] of await new Slices({ signal }).run(screenAll(drafts, settings.pii_policy)))
    if (screened instanceof CairnError) outcomes.set(draft, { status: 'error', error: screened })
    else left.push(screened)
  while (left.length > 0) {
    const names = new Set<string>()
    const round = left.filter(({ draft: { docId } }) => !names.has(docId) && names.add(docId))
    for (const [draft, outcome] of await storeRound(writeContext, round)) outcomes.set(draft, outcome)
    left = left.filter(({ draft }) => !outcomes.has(draft))
  }
  return drafts.map((draft) => outcomes.get(draft)!)
}

/** A draft as the tenant's policy on personal data lets it be stored. */
interface ScreenedDraft {
  readonly draft: DocumentDraft
  readonly data: DocumentData
  readonly metadata: DocumentMetadata
}

interface WriteContext {
  readonly writer: Writer
  readonly viewer: Viewer
  readonly collection: string
  readonly at: Date
  readonly newId: () => string
  readonly signal: AbortSignal
}

function* screenAll(
  drafts: readonly DocumentDraft[],
  policy: PiiPolicy,
): Yielding<Map<DocumentDraft, ScreenedDraft | CairnError>> {
  const screened = new Map<DocumentDraft, ScreenedDraft | CairnError>()
  for (const draft of drafts) {
    screened.set(draft, yield* screen(draft, policy))
    yield
  }
  return screened
}

function* screen(draft: DocumentDraft, policy: PiiPolicy): Yielding<ScreenedDraft | CairnError> {
  const { docId, data, path } = draft
  // Checked before the screening, whose cost grows with the length of the keys.
  const message = fieldsFault(data) ?? digitsFault(data)
  if (message !== null) return refusalOf([{ field: 'data', message }], path)!
  const { fields, faults, pii } = yield* screenInSteps({ docId, data }, policy)
  return refusalOf(faults, path) ?? { draft, data: fields.data, metadata: pii === null ? {} : { pii } }
}

/** Milliseconds between two yields. Comparing two documents of the largest size takes some 20 ms, so it yields after each. */
const COMPARE_SLICE_MS = 2

/** Writes drafts of different names. Tries again with a document that another transaction has created meanwhile. */
async function storeRound(
  writeContext: WriteContext,
  drafts: readonly ScreenedDraft[],
): Promise<Map<DocumentDraft, DocumentOutcome>> {
  const { writer, collection, at, signal } = writeContext
  const outcomes = new Map<DocumentDraft, DocumentOutcome>()
  const changes: DocumentChange[] = []
  const slices = new Slices({ sliceMs: COMPARE_SLICE_MS, signal })
  for (let left = drafts; left.length > 0; left = left.filter(({ draft }) => !outcomes.has(draft))) {
    const names = left.map(({ draft }) => draft.docId)
    const { locked, unread } = await lockDocuments(writer, collection, names)
    const readable = left.filter(({ draft }) => !unread.has(draft.docId))
    const compared = await slices.run(compareAll(writeContext, readable, locked))
    for (const [draft, outcome] of compared.outcomes) outcomes.set(draft, outcome)
    changes.push(...compared.changes)
    const stored = await insertDocuments(writer, [...compared.made.keys()])
    for (const [row, draft] of compared.made) if (stored.has(row.id)) outcomes.set(draft, { status: 'created', row })
  }
  await updateDocuments(writer, changes, at)
  return outcomes
}

interface ComparedDrafts {
  /** New documents. */
  readonly made: Map<DocumentRow, DocumentDraft>
  readonly changes: DocumentChange[]
  /** The outcomes of all but the new ones. */
  readonly outcomes: Map<DocumentDraft, DocumentOutcome>
}

function* compareAll(
  writeContext: WriteContext,
  drafts: readonly ScreenedDraft[],
  locked: ReadonlyMap<string, DocumentRow>,
): Yielding<ComparedDrafts> {
  const { made, changes, outcomes }: ComparedDrafts = { made: new Map(), changes: [], outcomes: new Map() }
  for (const screened of drafts) {
    yield
    const { draft } = screened
    const before = locked.get(draft.docId) ?? null
    const after = nextRowOf(writeContext, screened, before)
    if (after instanceof CairnError) outcomes.set(draft, { status: 'error', error: after })
    else if (before === null) made.set(after, draft)
    else if (after === before) outcomes.set(draft, { status: 'unchanged', row: before })
    else {
      const { fleetId, textHash } = before
      changes.push({ before: { fleetId, textHash }, after, fields: fieldChanges(before.data, after.data) })
      outcomes.set(draft, { status: 'updated', row: after })
    }
  }
  return { made, changes, outcomes }
}

/** Returns the row to write: `before` itself when nothing changes, or an error when the caller may not write it. */
function nextRowOf(
  { viewer, collection, at, newId }: WriteContext,
  { draft, data, metadata }: ScreenedDraft,
  before: DocumentRow | null,
): DocumentRow | CairnError {
  const { docId, requireVersion } = draft
  const fleetId = draft.fleetId ?? (before ?? viewer).fleetId
  try {
    if (before) requireOwnFleet(viewer, before.fleetId)
    requireOwnFleet(viewer, fleetId)
    requireVersion?.(before)
  } catch (error) {
    if (error instanceof CairnError) return error
    throw error
  }
  if (before?.fleetId === fleetId && isSameJson(before.data, data) && isSameJson(before.systemMetadata, metadata))
    return before
  const given = {
    fleetId,
    data,
    systemMetadata: metadata,
    textHash: documentTextHash(data),
    language: documentLanguage(data),
  }
  if (before === null) return { id: newId(), collection, docId, ...given, version: 1, createdAt: at, updatedAt: at }
  // Never earlier than before, even if another process's clock is ahead.
  const updatedAt = at < before.updatedAt ? before.updatedAt : at
  return { ...before, ...given, version: before.version + 1, updatedAt }
}

/** Returns a function that makes ids for documents created at this time. The ids sort in the order of the calls, like `created_at`. */
function createIdSequence(at: Date): () => string {
  let sequence = Math.floor(Math.random() * 2 ** 31)
  return () => uuidv7({ msecs: at.getTime(), seq: sequence++ })
}
