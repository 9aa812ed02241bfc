import type { Principal } from '../../domain/principal.js'
import { rankDocuments, type RankedDocument } from '../../domain/documents/rank-documents.js'
import { poolStatistics } from '../../domain/ranking/lexical.js'
import { analyse } from '../../domain/text/analysis.js'
import { UnavailableError } from '../../runtime/errors.js'
import { collectionTerm, metadataTerm, type SearchAnswer, type SearchFilter } from '../../search/search-index.js'
import {
  type DocumentFilter,
  type HitRow,
  hydrateDocuments,
  readDocumentTail,
  readHits,
  readLastChanged,
} from '../../store/documents/search-rows.js'
import { readMarks } from '../../store/indexing/index-marks.js'
import type { ApiContext } from '../context.js'
import { inside, type Waiting } from '../outside.js'
import { vectorOf } from '../recall/query.js'
import type { Missing } from '../recall/skeleton.js'
import { trustAnswer } from '../recall/whole-index.js'

/** Hits requested from each leg at least. */
const LEG_SIZE = 50
/** Pending documents, or the ones changed last when the engine is unavailable. */
const TAIL_SIZE = 500

export interface DocumentQuery {
  readonly text: string
  readonly filter: DocumentFilter
  readonly topK: number
}

export interface DocumentHit {
  readonly row: HitRow
  readonly ranked: RankedDocument
}

export interface FoundDocuments {
  /** Best first. */
  readonly hits: readonly DocumentHit[]
  readonly missing: ReadonlySet<Missing>
  /** False when the hits do not all fit into one answer. */
  readonly complete: boolean
}

/** Ids of the documents that may answer a query, with what is needed to rank them. */
interface Skeleton {
  /** Hits of the index first, then the pending tail. */
  readonly ids: readonly string[]
  readonly terms: readonly string[]
  readonly vector: Float32Array | null
  readonly statistics: SearchAnswer['statistics']
  readonly missing: Set<Missing>
}

/**
 * Finds candidates, hydrates and ranks them, like a recall. Names the parts that failed instead of answering with an empty result. Keeps
 * no database connection while texts are embedded and analysed, so the answer is read at the end, under the filter: a document that
 * changed meanwhile is returned as it then is, with the score of its former text, and one that was deleted, or no longer passes the
 * filter, is left out.
 */
export async function findDocuments(
  context: ApiContext,
  principal: Principal,
  query: DocumentQuery,
  waiting: Waiting,
): Promise<FoundDocuments> {
  const skeleton = await findCandidates(context, principal, query, waiting)
  const best = await rank(context, principal, query, skeleton, waiting.signal)
  const { rows, complete } = await context.store.read(principal, (reader) =>
    readHits(
      reader,
      query.filter,
      best.map(({ id }) => id),
    ),
  )
  const byId = new Map(best.map((ranked) => [ranked.id, ranked]))
  const hits = rows.map((row) => ({ row, ranked: byId.get(row.id)! }))
  return { hits, missing: skeleton.missing, complete }
}

/** Returns the best documents, `topK` at most. Adds `pending` to `missing` when there is more new text than one search analyses. */
async function rank(
  context: ApiContext,
  principal: Principal,
  { filter, topK }: DocumentQuery,
  skeleton: Skeleton,
  signal: AbortSignal,
): Promise<RankedDocument[]> {
  const { store, analysedDocuments } = context
  const rows = await store.read(principal, (reader) => hydrateDocuments(reader, filter, skeleton.ids))
  const found = new Map(rows.map((row) => [row.id, row]))
  const inOrder = skeleton.ids.flatMap((id) => found.get(id) ?? [])
  const { texts, complete } = await analysedDocuments.textsOf((work) => store.read(principal, work), inOrder, signal)
  if (!complete) skeleton.missing.add('pending')
  const candidates = inOrder.flatMap(({ id, updatedAt }) => {
    const text = texts.get(id)
    return text === undefined ? [] : [{ id, updatedAt, text }]
  })
  const pool = candidates.map(({ text }) => text)
  const statistics = poolStatistics(skeleton.statistics, pool, skeleton.terms)
  return rankDocuments(skeleton, candidates, statistics).slice(0, topK)
}

/** Reads the pending tail before it asks the engine: a row leaves the tail only when the engine finds it. */
async function findCandidates(
  context: ApiContext,
  principal: Principal,
  query: DocumentQuery,
  { signal, outside }: Waiting,
): Promise<Skeleton> {
  const { filter, text, topK } = query
  const embedding = context.embedder.remote ? outside : inside
  const [{ vector, away }, [tail, marks]] = await embedding.ask(
    () => vectorOf(context, text, signal),
    () =>
      context.store.read(principal, (reader) =>
        Promise.all([readDocumentTail(reader, filter, TAIL_SIZE), readMarks(reader, context.indexBuildId)]),
      ),
  )
  const terms = [...new Set(analyse(text))]
  const missing = new Set<Missing>()
  const ids = new Set<string>()
  const size = Math.max(LEG_SIZE, topK) + tail.stale
  const searching = context.index.engine === 'opensearch' ? outside : inside
  const wanted = { size, vector, terms }
  const [answered] = await searching.ask(() => askEngine(context, principal, filter, wanted, signal))
  const { answer, isWhole } = await trustAnswer(context, principal, marks, answered)
  if (!isWhole) {
    missing.add('search')
    const last = await context.store.read(principal, (reader) => readLastChanged(reader, filter, TAIL_SIZE))
    last.forEach((id) => ids.add(id))
  }
  if (answer !== null) {
    if (away) missing.add('vector')
    answer.failed.forEach((leg) => missing.add(leg))
    // Interleaves the legs, so that the documents which one search can analyse are the best of both.
    const legs = [answer.legs.vector ?? [], answer.legs.keyword ?? []]
    for (let place = 0; place < size; place++)
      for (const hit of legs.flatMap((leg) => leg[place] ?? [])) ids.add(hit.id)
  }
  if (!tail.complete) missing.add('pending')
  tail.ids.forEach((id) => ids.add(id))
  return { ids: [...ids], terms, vector, statistics: answer?.statistics ?? null, missing }
}

interface Asked {
  readonly size: number
  readonly vector: Float32Array | null
  readonly terms: readonly string[]
}

/** Returns null when the engine is unavailable. */
async function askEngine(
  context: ApiContext,
  principal: Principal,
  filter: DocumentFilter,
  { size, vector, terms }: Asked,
  signal: AbortSignal,
): Promise<SearchAnswer | null> {
  try {
    return await context.index.for(principal.tenantId, 'documents').search(
      {
        filter: searchFilter(filter, context.clock.now()),
        size,
        ...(terms.length > 0 && { keyword: { terms }, frequenciesOf: terms }),
        ...(vector && { vector: { vector } }),
      },
      signal,
    )
  } catch (error) {
    if (!(error instanceof UnavailableError) || signal.aborted) throw error
    return null
  }
}

/** Returns the filter for the index, in which a fleet's documents are visible to that fleet and documents without a fleet to everyone. */
function searchFilter({ collection, fleetId, where }: DocumentFilter, now: number): SearchFilter {
  return {
    audience: { kind: 'shared', agentId: null, fleets: fleetId === undefined ? 'all' : [fleetId] },
    now,
    statuses: ['active'],
    metadataTerms: [
      ...(collection === undefined ? [] : [collectionTerm(collection)]),
      ...where.map(({ key, value }) => metadataTerm(key, value)),
    ],
  }
}
