import { stringify } from 'safe-stable-stringify'
import { v7 as uuidv7 } from 'uuid'
import { fieldChanges } from '../../domain/documents/changes.js'
import type { DocumentData, DocumentMetadata } from '../../domain/documents/document.js'
import { fieldsFault } from '../../domain/documents/fields.js'
import { documentTextHash } from '../../domain/documents/text.js'
import { type PiiPolicy, screenInTurns } from '../../domain/personal-data/screen.js'
import type { Viewer } from '../../domain/visibility.js'
import { digitsFault } from '../../domain/written-digits.js'
import { CairnError } from '../../runtime/errors.js'
import { createTurns } from '../../runtime/turns.js'
import type { DocumentRow } from '../../store/documents/document-row.js'
import {
  type DocumentChange,
  holdDocuments,
  insertDocuments,
  updateDocuments,
} from '../../store/documents/write-documents.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { etagOfMaking, requireMatch, requireNone } from '../entity-tags.js'
import type { ActingAuthor } from '../memories/author.js'
import { refusalOf } from '../memories/draft-faults.js'
import { requireOwnFleet } from './require-fleet.js'

/** A document to write, and its position in the request for the errors' `loc`. */
export interface DocumentDraft {
  readonly docId: string
  readonly data: DocumentData
  /** Null means the document's present fleet, or the caller's for a new document. */
  readonly fleetId: string | null
  readonly loc: readonly string[]
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
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
  const storing = {
    writer: { ...writer, actor: { ...writer.actor, agentId: author.agentId } },
    viewer,
    collection,
    at,
    newId: idsOf(at),
    signal,
  }
  const { memory: settings } = await readSettings(writer)
  const turn = createTurns({ signal })
  let left: ScreenedDraft[] = []
  for (const draft of drafts) {
    const screened = await screen(draft, settings.pii_policy, turn)
    if (screened instanceof CairnError) outcomes.set(draft, { status: 'error', error: screened })
    else left.push(screened)
    await turn()
  }
  while (left.length > 0) {
    const names = new Set<string>()
    const round = left.filter(({ draft: { docId } }) => !names.has(docId) && names.add(docId))
    for (const [draft, outcome] of await storeRound(storing, round)) outcomes.set(draft, outcome)
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

interface Storing {
  readonly writer: Writer
  readonly viewer: Viewer
  readonly collection: string
  readonly at: Date
  readonly newId: () => string
  readonly signal: AbortSignal
}

async function screen(
  draft: DocumentDraft,
  policy: PiiPolicy,
  turn: ReturnType<typeof createTurns>,
): Promise<ScreenedDraft | CairnError> {
  const { docId, data, loc } = draft
  // Checked before the screening, whose cost grows with the length of the keys.
  const message = fieldsFault(data) ?? digitsFault(data)
  if (message !== null) return refusalOf([{ field: 'data', message }], loc)!
  const { fields, faults, pii } = await screenInTurns({ docId, data }, policy, turn)
  return refusalOf(faults, loc) ?? { draft, data: fields.data, metadata: pii === null ? {} : { pii } }
}

/** Milliseconds between two yields. Comparing two documents of the largest size takes some 20 ms, so it yields after each. */
const COMPARED_MS = 2

/** Writes drafts of different names. Tries again with a document that another transaction has created meanwhile. */
async function storeRound(
  storing: Storing,
  drafts: readonly ScreenedDraft[],
): Promise<Map<DocumentDraft, DocumentOutcome>> {
  const { writer, collection, at, signal } = storing
  const outcomes = new Map<DocumentDraft, DocumentOutcome>()
  const changes: DocumentChange[] = []
  const turn = createTurns({ sliceMs: COMPARED_MS, signal })
  for (let left = drafts; left.length > 0; left = left.filter(({ draft }) => !outcomes.has(draft))) {
    const names = left.map(({ draft }) => draft.docId)
    const { held, unread } = await holdDocuments(writer, collection, names)
    const made = new Map<string, DocumentDraft>()
    const rows: DocumentRow[] = []
    for (const screened of left) {
      const { draft } = screened
      await turn()
      if (unread.has(draft.docId)) continue
      const before = held.get(draft.docId) ?? null
      const after = nextOf(storing, screened, before)
      if (after instanceof CairnError) outcomes.set(draft, { status: 'error', error: after })
      else if (before === null) made.set(after.id, draft) && rows.push(after)
      else if (after === before) outcomes.set(draft, { status: 'unchanged', row: before })
      else {
        const { fleetId, textHash } = before
        changes.push({ before: { fleetId, textHash }, after, fields: fieldChanges(before.data, after.data) })
        outcomes.set(draft, { status: 'updated', row: after })
      }
    }
    const stored = await insertDocuments(writer, rows)
    for (const row of rows) if (stored.has(row.id)) outcomes.set(made.get(row.id)!, { status: 'created', row })
  }
  await updateDocuments(writer, changes, at)
  return outcomes
}

/** Returns the row to write: `before` itself when nothing changes, or an error when the caller may not write it. */
function nextOf(
  { viewer, collection, at, newId }: Storing,
  { draft, data, metadata }: ScreenedDraft,
  before: DocumentRow | null,
): DocumentRow | CairnError {
  const { docId, ifMatch, ifNoneMatch } = draft
  const fleetId = draft.fleetId ?? (before ?? viewer).fleetId
  try {
    if (before) requireOwnFleet(viewer, before.fleetId)
    requireOwnFleet(viewer, fleetId)
    requireNone(ifNoneMatch, before)
    requireMatch(ifMatch, before, etagOfMaking)
  } catch (error) {
    if (error instanceof CairnError) return error
    throw error
  }
  const given = { fleetId, data, systemMetadata: metadata, textHash: documentTextHash(data) }
  if (before === null) return { id: newId(), collection, docId, ...given, version: 1, createdAt: at, updatedAt: at }
  if (before.fleetId === fleetId && isSame(before.data, data) && isSame(before.systemMetadata, metadata)) return before
  // Never earlier than before, even if another process's clock is ahead.
  const updatedAt = at < before.updatedAt ? before.updatedAt : at
  return { ...before, ...given, version: before.version + 1, updatedAt }
}

function isSame(one: object, other: object): boolean {
  return stringify(one) === stringify(other)
}

/** Returns a function that makes ids for documents created at this time. The ids sort in the order of the calls, like `created_at`. */
function idsOf(at: Date): () => string {
  let sequence = Math.floor(Math.random() * 2 ** 31)
  return () => uuidv7({ msecs: at.getTime(), seq: sequence++ })
}
