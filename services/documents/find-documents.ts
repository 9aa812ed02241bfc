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
import type { ServiceContext } from '../context.js'
import { callsWithPermit, type ExternalCallContext } from '../../runtime/external-calls.js'
import { vectorOf } from '../recall/query.js'
import type { DegradedPart } from '../recall/find-candidates.js'
import { verifyAnswer } from '../recall/whole-index.js'

/** Hits requested from each leg at least. */
const LEG_SIZE = 50
/** Pending documents, or the ones changed last when the engine is unavailable. */
const TAIL_SIZE = 500

interface DocumentQuery {
  readonly text: string
  readonly filter: DocumentFilter
  readonly topK: number
}

interface DocumentHit {
  readonly row: HitRow
  readonly ranked: RankedDocument
}

interface FoundDocuments {
  /** Best first. */
  readonly hits: readonly DocumentHit[]
  readonly degradedParts: ReadonlySet<DegradedPart>
  /** False when the hits do not all fit into one answer. */
  readonly complete: boolean
}

/** Ids of the documents that may answer a query, with what is needed to rank them. */
interface DocumentCandidateSet {
  /** Hits of the index first, then the pending tail. */
  readonly ids: readonly string[]
  readonly terms: readonly string[]
  readonly vector: Float32Array | null
  readonly statistics: SearchAnswer['statistics']
  readonly degradedParts: Set<DegradedPart>
}

/**
 * Finds candidates, hydrates and ranks them, like a recall. Names the parts that failed instead of answering with an empty result. Keeps
 * no database connection while texts are embedded and analysed, so the answer is read at the end, under the filter: a document that
 * changed meanwhile is returned as it then is, with the score of its former text, and one that was deleted, or no longer passes the
 * filter, is left out.
 */
export async function findDocuments(
  context: ServiceContext,
  principal: Principal,
  query: DocumentQuery,
  waiting: ExternalCallContext,
): Promise<FoundDocuments> {
  const candidateSet = await findDocumentCandidates(context, principal, query, waiting)
  const best = await rankCandidates(context, principal, query, candidateSet, waiting.signal)
  const { rows, complete } = await context.store.read(principal, (reader) =>
    readHits(
      reader,
      query.filter,
      best.map(({ id }) => id),
    ),
  )
  const byId = new Map(best.map((ranked) => [ranked.id, ranked]))
  const hits = rows.map((row) => ({ row, ranked: byId.get(row.id)! }))
  return { hits, degradedParts: candidateSet.degradedParts, complete }
}

/** Returns the best documents, `topK` at most. Adds `pending` to `degradedParts` when there is more new text than one search analyses. */
async function rankCandidates(
  context: ServiceContext,
  principal: Principal,
  { filter, topK }: DocumentQuery,
  candidateSet: DocumentCandidateSet,
  signal: AbortSignal,
): Promise<RankedDocument[]> {
  const { store, analysedDocuments } = context
  const rows = await store.read(principal, (reader) => hydrateDocuments(reader, filter, candidateSet.ids))
  const found = new Map(rows.map((row) => [row.id, row]))
  const inOrder = candidateSet.ids.flatMap((id) => found.get(id) ?? [])
  const { texts, complete } = await analysedDocuments.textsOf((work) => store.read(principal, work), inOrder, signal)
  if (!complete) candidateSet.degradedParts.add('pending')
  const candidates = inOrder.flatMap(({ id, updatedAt }) => {
    const text = texts.get(id)
    return text === undefined ? [] : [{ id, updatedAt, text }]
  })
  const pool = candidates.map(({ text }) => text)
  const statistics = poolStatistics(candidateSet.statistics, pool, candidateSet.terms)
  return rankDocuments(candidateSet, candidates, statistics).slice(0, topK)
}

/** Reads the pending tail before it asks the engine: a row leaves the tail only when the engine finds it. */
async function findDocumentCandidates(
  context: ServiceContext,
  principal: Principal,
  query: DocumentQuery,
  { signal, externalCalls }: ExternalCallContext,
): Promise<DocumentCandidateSet> {
  const { filter, text, topK } = query
  const embedding = context.embedder.remote ? externalCalls : callsWithPermit
  const [{ vector, isEmbedderDown }, [tail, marks]] = await embedding.run(
    () => vectorOf(context, text, signal),
    () =>
      context.store.read(principal, (reader) =>
        Promise.all([readDocumentTail(reader, filter, TAIL_SIZE), readMarks(reader, context.indexBuildId)]),
      ),
  )
  const terms = [...new Set(analyse(text))]
  const degradedParts = new Set<DegradedPart>()
  const ids = new Set<string>()
  const size = Math.max(LEG_SIZE, topK) + tail.stale
  const searching = context.index.engine === 'opensearch' ? externalCalls : callsWithPermit
  const engineRequest = { size, vector, terms }
  const [response] = await searching.run(() => askEngine(context, principal, filter, engineRequest, signal))
  const { answer, isWhole } = await verifyAnswer(context, principal, marks, response)
  if (!isWhole) {
    degradedParts.add('search')
    const last = await context.store.read(principal, (reader) => readLastChanged(reader, filter, TAIL_SIZE))
    last.forEach((id) => ids.add(id))
  }
  if (answer !== null) {
    if (isEmbedderDown) degradedParts.add('vector')
    answer.failed.forEach((leg) => degradedParts.add(leg))
    // Interleaves the legs, so that the documents which one search can analyse are the best of both.
    const legs = [answer.legs.vector ?? [], answer.legs.keyword ?? []]
    for (let position = 0; position < size; position++)
      for (const hit of legs.flatMap((leg) => leg[position] ?? [])) ids.add(hit.id)
  }
  if (!tail.complete) degradedParts.add('pending')
  tail.ids.forEach((id) => ids.add(id))
  return { ids: [...ids], terms, vector, statistics: answer?.statistics ?? null, degradedParts }
}

interface EngineRequest {
  readonly size: number
  readonly vector: Float32Array | null
  readonly terms: readonly string[]
}

/** Returns null when the engine is unavailable. */
async function askEngine(
  context: ServiceContext,
  principal: Principal,
  filter: DocumentFilter,
  { size, vector, terms }: EngineRequest,
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
