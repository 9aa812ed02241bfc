import type { Principal } from '../../../domain/principal.js'
import { type DocumentCandidate, rankDocuments, type RankedDocument } from '../../../domain/documents/rank-documents.js'
import { boundFleetsOf } from '../../../domain/skills/fleet-bound.js'
import { poolStatistics } from '../../../domain/ranking/lexical.js'
import type { Checked } from '../../../contract/types.js'
import { LEGS } from '../../../search/search-index.js'
import type { ExternalCallContext } from '../../../runtime/external-calls.js'
import {
  type FoundDocument,
  type HitRow,
  readDocumentTail,
  readHits,
  readLastChanged,
} from '../../../store/documents/search-rows.js'
import { searchedFleets } from '../../../store/documents/collections.js'
import type { Tail } from '../../../store/outbox/pending-tail.js'
import type { SearchContext } from '../context.js'
import { queryOptions } from '../query.js'
import { type Candidates, findCandidates, LEG_SIZE, TAIL_SIZE, type DegradedPart } from '../candidates.js'
import type { AnalysedDocuments } from './analysed-documents.js'
import { PassingDocuments } from './passing-documents.js'
import { type DocumentQuery, readDocumentQuery } from './query.js'

/** The context of searches of documents. */
export interface DocumentSearchContext extends SearchContext {
  readonly analysedDocuments: AnalysedDocuments
}

interface DocumentHit {
  readonly row: HitRow
  readonly ranked: RankedDocument
}

interface FoundDocuments {
  /** Best first. */
  readonly hits: readonly DocumentHit[]
  readonly degradedParts: ReadonlySet<DegradedPart>
  readonly notCompared: DocumentCandidates['notCompared']
  /** False when the hits do not all fit into one answer. */
  readonly complete: boolean
}

type DocumentCandidates = Candidates<{ readonly tail: Tail }>

/**
 * Searches documents in the stages of every search (../README.md). Keeps no database connection while texts are embedded
 * and analysed, so the answer is read at the end, under the filter: a document that changed meanwhile is returned as it
 * then is, with the score of its former text, and one that was deleted, or no longer passes the filter, is left out.
 */
export async function searchDocuments(
  context: DocumentSearchContext,
  principal: Principal,
  request: Checked<'DocumentSearch'>,
  waiting: ExternalCallContext,
): Promise<FoundDocuments> {
  const bounds = boundFleetsOf(principal, request.fleet_id)
  // A request that names its fleet is searched in that one.
  const fleets =
    request.fleet_id === undefined && bounds !== 'all'
      ? await context.store.readAtOnce(principal, (reader) => searchedFleets(reader, bounds))
      : 'all'
  const query = await readDocumentQuery(request, bounds, fleets, queryOptions(context, principal))
  const { candidates, rows: passing } = await findPassing(context, principal, query, waiting)
  const loaded = await loadDocuments(context, principal, candidates, passing, waiting.signal)
  const best = rankLoaded(query, candidates, loaded)
  const ids = best.map(({ id }) => id)
  const { rows, complete } = await context.store.readAtOnce(principal, (reader) =>
    readHits(reader, query.rowFilter, ids),
  )
  const byId = new Map(best.map((ranked) => [ranked.id, ranked]))
  const hits = rows.map((row) => ({ row, ranked: byId.get(row.id)! }))
  const { degradedParts, notCompared } = candidates
  return { hits, degradedParts, notCompared, complete }
}

/** The candidates, and those of them that pass the filter, in their order. */
interface Passing {
  readonly candidates: DocumentCandidates
  readonly rows: readonly FoundDocument[]
}

/**
 * Finds the documents that pass the filter now, whatever the index said. It finds those with too long a list at a key of `where` by a mark, and
 * their data says whether they pass: where such documents took the places of others, more hits are asked for, once, and read until `topK`
 * documents pass.
 */
async function findPassing(
  context: DocumentSearchContext,
  principal: Principal,
  query: DocumentQuery,
  waiting: ExternalCallContext,
): Promise<Passing> {
  const passing = new PassingDocuments(
    (work) => context.store.readAtOnce(principal, work),
    query.rowFilter,
    waiting.signal,
  )
  const candidates = await findDocumentCandidates(context, principal, query, waiting)
  const rows = await passing.among([...candidates.found.keys()])
  if (!isCrowded(query, { candidates, rows })) return { candidates, rows }
  const further = await candidates.withMore(MORE_HITS)
  const ids = [...further.found.keys()].filter((id) => !candidates.found.has(id))
  return { candidates: further, rows: [...rows, ...(await passing.among(ids, query.topK - rows.length))] }
}

/** Hits of each leg that a second search adds: with 50 of the first, as many documents as a query reads to sort them. */
const MORE_HITS = 450

function isCrowded({ rowFilter, topK }: DocumentQuery, { candidates: { found, hits }, rows }: Passing): boolean {
  const isFull = LEGS.some((leg) => (hits[leg]?.length ?? 0) >= Math.max(LEG_SIZE, topK))
  const mayMiss = rowFilter.where.length > 0 || rowFilter.expression !== undefined
  return mayMiss && isFull && rows.length < Math.min(topK, found.size)
}

function findDocumentCandidates(
  context: DocumentSearchContext,
  principal: Principal,
  query: DocumentQuery,
  waiting: ExternalCallContext,
): Promise<DocumentCandidates> {
  return findCandidates(
    context,
    principal,
    query,
    {
      corpus: 'documents',
      readFirst: async (reader) => ({ tail: await readDocumentTail(reader, query.rowFilter, TAIL_SIZE) }),
      readNewest: (reader) => readLastChanged(reader, query.rowFilter, TAIL_SIZE),
    },
    waiting,
  )
}

/** Reads the texts of candidates. Adds `pending` to the degraded parts when there is more new text than one search analyses. */
async function loadDocuments(
  { store, analysedDocuments }: DocumentSearchContext,
  principal: Principal,
  { degradedParts }: DocumentCandidates,
  rows: readonly FoundDocument[],
  signal: AbortSignal,
): Promise<DocumentCandidate[]> {
  const { texts, complete } = await analysedDocuments.textsOf((work) => store.read(principal, work), rows, signal)
  if (!complete) degradedParts.add('pending')
  return rows.flatMap(({ id, updatedAt }) => {
    const text = texts.get(id)
    return text === undefined ? [] : [{ id, updatedAt, text }]
  })
}

/** Returns the best documents, `topK` at most. */
function rankLoaded(
  { groups, terms, topK }: DocumentQuery,
  { statistics: indexed, vector }: DocumentCandidates,
  loaded: readonly DocumentCandidate[],
): RankedDocument[] {
  const pool = loaded.map(({ text }) => text)
  return rankDocuments({ groups, vector }, loaded, poolStatistics(indexed, pool, terms)).slice(0, topK)
}
