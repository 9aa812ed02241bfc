import { validate as isUuid } from 'uuid'
import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import type { ExpectedDocument, IdSelection } from '../../search/search-index.js'
import { CORPUS_ROWS } from '../../store/corpora.js'
import { readLiveDocuments } from '../../store/indexing/indexed-documents.js'
import { type ChangeState, readChangeStates, readLiveIds, sampleLiveIds } from '../../store/indexing/change-states.js'
import { type LiveRange, readLiveRows } from '../../store/indexing/index-rows.js'
import { readVectors } from '../../store/vectors.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { Reader } from '../../store/store.js'
import { listTenants } from '../../store/tenants/tenants.js'
import type { OperatingContext } from '../operating-context.js'
import { documentEntry, type IndexEntry, memoryEntry } from './index-entries.js'

/** Rows and entries that were compared, and those that were not since a change of theirs is on its way into the index. */
export interface ComparedCounts {
  readonly rows: number
  readonly entries: number
  readonly inFlight: number
}

/**
 * A row without an entry (`missing`), or with one that differs from what the row makes (`differs`), or an entry of no
 * live row of the tenant (`orphan`).
 */
export interface Difference {
  readonly tenantId: string
  readonly corpus: Corpus
  readonly id: string
  readonly difference: 'missing' | 'differs' | 'orphan'
}

export interface VerifyOptions {
  /** Undefined: all tenants, in the order of their ids. */
  readonly tenantId: string | undefined
  /** Number of rows and of entries of each tenant and corpus that are compared; undefined for all. */
  readonly sample: number | undefined
  /** Equal seeds choose equal samples. */
  readonly seed: number
  /** True when what differs is enqueued as a change. */
  readonly repairs: boolean
  /** Undefined: the beginning. */
  readonly from: VerifyPosition | undefined
  readonly signal: AbortSignal
}

/** Says what is compared next: the ids after this one ('' for all), in one of the `STAGES` of a tenant. */
export interface VerifyPosition {
  readonly tenantId: string
  readonly stage: number
  readonly after: string
}

export interface Verification {
  readonly memories: ComparedCounts
  readonly documents: ComparedCounts
  readonly differences: readonly Difference[]
  readonly enqueued: number
  /** Null at the end. */
  readonly next: VerifyPosition | null
}

type Context = Pick<OperatingContext, 'store' | 'index' | 'embedder' | 'indexBuilds'>

interface Stage {
  readonly corpus: Corpus
  readonly side: 'rows' | 'entries'
}

const STAGES: readonly Stage[] = [
  { corpus: 'memories', side: 'rows' },
  { corpus: 'memories', side: 'entries' },
  { corpus: 'documents', side: 'rows' },
  { corpus: 'documents', side: 'entries' },
]

/** Time after which no further page is begun. */
const WORK_MS = 5_000
/** Number of differences after which no further page is begun. */
const MAX_DIFFERENCES = 1_000
/** Rows are read and analysed; of entries only the ids are read. */
const PAGE_SIZE = { rows: 250, entries: 5_000 } as const
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Compares rows with the serving index, page by page by id, in both directions, until there is enough for one answer.
 * Throws `UnavailableError` when the engine is unavailable or its index is not whole.
 */
export async function verifyIndex(context: Context, options: VerifyOptions): Promise<Verification> {
  requireWholeIndex(context)
  const counts = { memories: { rows: 0, entries: 0, inFlight: 0 }, documents: { rows: 0, entries: 0, inFlight: 0 } }
  const differences: Difference[] = []
  let enqueued = 0
  const endsAt = performance.now() + WORK_MS
  const drawRows = createDraw(context, options)
  let next = options.from ?? (await firstOf(context, options, undefined))
  while (next !== null) {
    options.signal.throwIfAborted()
    const stage = STAGES[next.stage]!
    const page: Page = await verifyPage(await createLook(context, next, stage, options, drawRows))
    // An index that was lost meanwhile has no damage to repair: it is replaced.
    requireWholeIndex(context)
    const found = page.differences.map(([id, difference]) => ({
      tenantId: next!.tenantId,
      corpus: stage.corpus,
      id,
      difference,
    }))
    differences.push(...found)
    if (options.repairs) enqueued += await enqueueDifferences(context, next.tenantId, stage.corpus, found)
    counts[stage.corpus][stage.side] += page.compared
    counts[stage.corpus].inFlight += page.inFlight
    if (page.last !== null) next = { ...next, after: page.last }
    else if (next.stage + 1 < STAGES.length) next = { ...next, stage: next.stage + 1, after: '' }
    else next = await firstOf(context, options, next.tenantId)
    if (performance.now() >= endsAt || differences.length >= MAX_DIFFERENCES) break
  }
  return { ...counts, differences, enqueued, next }
}

function requireWholeIndex({ indexBuilds }: Context): void {
  const fault = indexBuilds.fault()
  if (fault !== null) throw new UnavailableError('search', new Error('the index is not whole'), fault.reason)
}

/** Returns the first position of the next tenant. */
async function firstOf(
  { store }: Context,
  { tenantId }: VerifyOptions,
  after: string | undefined,
): Promise<VerifyPosition | null> {
  const start = { stage: 0, after: '' }
  // A tenant that does not exist may have entries.
  if (tenantId !== undefined) return after === undefined ? { tenantId, ...start } : null
  const [tenant] = await store.asSystem((system) => listTenants(system, { tenantId: undefined, after, limit: 1 }))
  return tenant === undefined ? null : { tenantId: tenant.tenantId, ...start }
}

/** Enqueues changes: a row is written again, and an entry without a row is replaced by a tombstone. */
async function enqueueDifferences(
  { store }: Context,
  tenantId: string,
  corpus: Corpus,
  differences: readonly Difference[],
): Promise<number> {
  const ids = differences.map(({ id }) => id).filter((id) => isUuid(id))
  if (ids.length > 0) await store.transact({ tenantId }, (writer) => enqueue(writer, CORPUS_ROWS[corpus].kind, ids))
  return ids.length
}

interface Page {
  readonly compared: number
  readonly inFlight: number
  readonly differences: readonly (readonly [id: string, difference: Difference['difference']])[]
  /** Null at the end of the stage. */
  readonly last: string | null
}

/**
 * Returns what draws the sampled rows of a corpus, undefined where all are compared. A draw reads all ids of the tenant, so each request draws once,
 * for all pages of the sample.
 */
function createDraw({ store }: Context, { sample, seed }: VerifyOptions) {
  let drawn: { readonly tenantId: string; readonly corpus: Corpus; readonly ids: readonly string[] } | undefined
  return async (tenantId: string, corpus: Corpus): Promise<readonly string[] | undefined> => {
    if (sample === undefined) return undefined
    if (drawn?.tenantId !== tenantId || drawn.corpus !== corpus) {
      const ids = await store.read({ tenantId }, (reader) => sampleLiveIds(reader, corpus, { sample, seed }))
      drawn = { tenantId, corpus, ids }
    }
    return drawn.ids
  }
}

interface Scope {
  readonly tenantId: string
  readonly corpus: Corpus
  readonly signal: AbortSignal
}

interface Look {
  readonly looked: number
  /** Number of them with a change that is on its way into the index. */
  readonly inFlight: number
  readonly states: ReadonlyMap<string, ChangeState>
  readonly suspects: ReadonlyMap<string, Difference['difference']>
  /** Null at the end of the stage. */
  readonly last: string | null
}

/** Looks at the page, or once more at the suspects of it. */
type LookAt = (suspects?: readonly string[]) => Promise<Look>

async function createLook(
  context: Context,
  { tenantId, after }: VerifyPosition,
  { corpus, side }: Stage,
  { sample, seed, signal }: VerifyOptions,
  drawRows: ReturnType<typeof createDraw>,
): Promise<LookAt> {
  const scope = { tenantId, corpus, signal }
  const limit = PAGE_SIZE[side]
  if (side === 'rows') {
    const drawn = await drawRows(tenantId, corpus)
    const page = { after: after || FIRST_ID, limit, ...(drawn && { among: drawn }) }
    return (among) => lookAtRows(context, scope, among ? { after: FIRST_ID, limit, among } : page)
  }
  const page = sample === undefined ? { after, limit } : { sample, seed }
  return (among) => lookAtEntries(context, scope, among ? { among } : page)
}

/**
 * Looks twice: what differs counts unless its row is in flight either time, or has changed in between. An entry without a row counts when it
 * is still in the index after PostgreSQL said so.
 */
async function verifyPage(look: LookAt): Promise<Page> {
  const first = await look()
  const suspects = [...first.suspects.keys()]
  const second = suspects.length === 0 ? first : await look(suspects)
  const differences = [...second.suspects].filter(([id]) => isUnchanged(first.states.get(id), second.states.get(id)))
  const inFlight = first.inFlight + suspects.length - differences.length
  return { compared: first.looked - inFlight, inFlight, differences, last: first.last }
}

/** Returns true when no change was made between two looks, less than a minute apart. */
function isUnchanged(before: ChangeState | undefined, after: ChangeState | undefined): boolean {
  return after === undefined || after.seq === before?.seq
}

interface LiveRow {
  readonly id: string
  build(): Yielding<IndexEntry>
}

const LIVE_ROWS: { readonly [K in Corpus]: (reader: Reader, range: LiveRange) => Promise<readonly LiveRow[]> } = {
  memories: async (reader, range) =>
    (await readLiveRows(reader, range)).map((row) => ({ id: row.id, build: () => memoryEntry(row) })),
  documents: async (reader, range) =>
    (await readLiveDocuments(reader, range)).map((row) => ({ id: row.id, build: () => documentEntry(row) })),
}

/** Builds the entries of rows, and returns the ids of those whose entry cannot be built. */
function* buildAll(rows: readonly LiveRow[]): Yielding<{ entries: IndexEntry[]; failed: string[] }> {
  const entries: IndexEntry[] = []
  const failed: string[] = []
  for (const { id, build } of rows) {
    try {
      entries.push(yield* build())
    } catch {
      failed.push(id)
    }
    yield
  }
  return { entries, failed }
}

/** Compares rows with their entries. */
async function lookAtRows(context: Context, { tenantId, corpus, signal }: Scope, range: LiveRange): Promise<Look> {
  // One snapshot: a row that has settled in it is in the index as it is there.
  const { rows, states } = await context.store.read({ tenantId }, async (reader) => {
    const live = await LIVE_ROWS[corpus](reader, range)
    const ids = live.map(({ id }) => id)
    return { rows: live, states: await readChangeStates(reader, corpus, ids) }
  })
  const settled = rows.filter(({ id }) => !states.get(id)?.isInFlight)
  const suspects = new Map<string, Difference['difference']>()
  const { entries, failed } = await new Slices({ signal }).run(buildAll(settled))
  // The job that indexes them has failed by the same error.
  for (const id of failed) suspects.set(id, 'differs')
  const expected = await withVectors(context, { tenantId, signal }, entries, states)
  const results = await context.index.for(tenantId, corpus).compare(expected, signal)
  for (const [i, { id }] of expected.entries()) {
    const result = results[i]!
    if (result !== 'equal') suspects.set(id, result)
  }
  const last = rows.at(-1)?.id ?? null
  return { looked: rows.length, inFlight: rows.length - settled.length, states, suspects, last }
}

/** Adds the vectors that the entries must have: computed where that is cheap, else as stored when the texts were embedded. */
async function withVectors(
  { store, embedder }: Context,
  { tenantId, signal }: Pick<Scope, 'tenantId' | 'signal'>,
  entries: readonly IndexEntry[],
  states: ReadonlyMap<string, ChangeState>,
): Promise<ExpectedDocument[]> {
  const texts = entries.map(({ text }) => text!)
  const hexOf = (hash: Buffer) => hash.toString('hex')
  const vectors = embedder.inline
    ? await embedder.embed(
        texts.map(({ text }) => text),
        'passage',
        signal,
      )
    : await store
        .read({ tenantId }, (reader) =>
          readVectors(
            reader,
            embedder.id,
            texts.map(({ hash }) => hash),
          ),
        )
        .then((stored) => texts.map(({ hash }) => stored.get(hexOf(hash)) ?? null))
  return entries.map(({ id, document }, i) => {
    const vector = vectors[i] ?? null
    const isKnown = embedder.inline || vector !== null
    return { id, document: { ...document!, vector }, comparesVector: isKnown && !states.get(id)?.awaitsVector }
  })
}

/** Looks for the rows of entries. */
async function lookAtEntries(
  { store, index }: Context,
  { tenantId, corpus, signal }: Scope,
  selection: IdSelection,
): Promise<Look> {
  const ids = await index.for(tenantId, corpus).listIds(selection, signal)
  const known = ids.filter((id) => isUuid(id))
  const { states, live } = await store.read({ tenantId }, async (reader) => ({
    states: await readChangeStates(reader, corpus, known),
    live: await readLiveIds(reader, corpus, known),
  }))
  // A live row in flight is counted as a row.
  const rowless = ids.filter((id) => !live.has(id))
  const orphans = rowless.filter((id) => !states.get(id)?.isInFlight)
  return {
    looked: ids.length,
    inFlight: rowless.length - orphans.length,
    states,
    suspects: new Map(orphans.map((id) => [id, 'orphan'])),
    last: 'after' in selection && ids.length === selection.limit ? ids.at(-1)! : null,
  }
}
