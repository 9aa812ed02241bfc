import type { Principal } from '../../domain/principal.js'
import { rankDocuments, type RankedDocument } from '../../domain/documents/rank-documents.js'
import { poolStatistics } from '../../domain/ranking/lexical.js'
import { analyse } from '../../domain/text/analysis.js'
import { UnavailableError } from '../../runtime/errors.js'
import { collectionTerm, metadataTerm, type SearchAnswer, type SearchFilter } from '../../search/search-index.js'
import {
  type DocumentFilter,
  type FoundDocument,
  hydrateDocuments,
  readData,
  readDocumentTail,
  readLastChanged,
} from '../../store/documents/search-rows.js'
import type { Reader } from '../../store/store.js'
import type { ApiContext } from '../context.js'
import { vectorOf } from '../recall/query.js'
import type { Missing } from '../recall/skeleton.js'

/** Hits asked of each leg at least. */
const LEG_SIZE = 50
/** Pending documents, or the last changed ones when the engine is away. */
const TAIL_SIZE = 500

export interface DocumentQuery {
  readonly text: string
  readonly filter: DocumentFilter
  readonly topK: number
}

export interface DocumentHit {
  readonly document: FoundDocument
  readonly data: Record<string, unknown>
  readonly ranked: RankedDocument
}

/** Ids that may answer, with what is needed to rank them. */
interface Skeleton {
  /** Hits of the index first, then the tail. */
  readonly ids: readonly string[]
  readonly terms: readonly string[]
  readonly vector: Float32Array | null
  readonly statistics: SearchAnswer['statistics']
  readonly missing: Set<Missing>
}

/** Skeleton, hydration and rules, as of a recall; what is missing is named, never an empty answer. */
export async function findDocuments(
  context: ApiContext,
  principal: Principal,
  query: DocumentQuery,
  signal: AbortSignal,
): Promise<{ hits: DocumentHit[]; missing: ReadonlySet<Missing> }> {
  const skeleton = await findCandidates(context, principal, query, signal)
  return context.store.read(principal, async (reader) => {
    const { documents, texts, complete } = await hydrate(reader, context, query, skeleton, signal)
    if (!complete) skeleton.missing.add('pending')
    const candidates = documents.map(({ id, updatedAt }) => ({ id, updatedAt, text: texts.get(id)! }))
    const pool = candidates.map(({ text }) => text)
    const statistics = poolStatistics(skeleton.statistics, pool, skeleton.terms)
    const byId = new Map(documents.map((document) => [document.id, document]))
    const best = rankDocuments(skeleton, candidates, statistics).slice(0, query.topK)
    const data = await readData(
      reader,
      best.map(({ id }) => id),
    )
    const hits = best.flatMap((ranked) => {
      const found = data.get(ranked.id)
      return found === undefined ? [] : [{ document: byId.get(ranked.id)!, data: found, ranked }]
    })
    return { hits, missing: skeleton.missing }
  })
}

/** The tail is read before the engine is asked: a row is in the tail until the engine finds it. */
async function findCandidates(
  context: ApiContext,
  principal: Principal,
  query: DocumentQuery,
  signal: AbortSignal,
): Promise<Skeleton> {
  const { filter, text, topK } = query
  const [{ vector, away }, tail] = await Promise.all([
    vectorOf(context, text, signal),
    context.store.read(principal, (reader) => readDocumentTail(reader, filter, TAIL_SIZE)),
  ])
  const terms = [...new Set(analyse(text))]
  const missing = new Set<Missing>()
  const ids = new Set<string>()
  const size = Math.max(LEG_SIZE, topK) + tail.stale
  const answer = await askEngine(context, principal, filter, { size, vector, terms }, signal)
  if (answer === null) {
    missing.add('search')
    const last = await context.store.read(principal, (reader) => readLastChanged(reader, filter, TAIL_SIZE))
    last.forEach((id) => ids.add(id))
  } else {
    if (away) missing.add('vector')
    answer.failed.forEach((leg) => missing.add(leg))
    // By turns, so that what a search can analyse at once is the best of both.
    const legs = [answer.legs.vector ?? [], answer.legs.keyword ?? []]
    for (let place = 0; place < size; place++)
      for (const hit of legs.flatMap((leg) => leg[place] ?? [])) ids.add(hit.id)
  }
  if (!tail.complete) missing.add('pending')
  tail.ids.forEach((id) => ids.add(id))
  return { ids: [...ids], terms, vector, statistics: answer?.statistics ?? null, missing }
}

async function hydrate(
  reader: Reader,
  context: ApiContext,
  { filter }: DocumentQuery,
  { ids }: Skeleton,
  signal: AbortSignal,
) {
  const found = new Map((await hydrateDocuments(reader, filter, ids)).map((row) => [row.id, row]))
  const inOrder = ids.flatMap((id) => found.get(id) ?? [])
  const { texts, complete } = await context.analysedDocuments.textsOf(reader, inOrder, signal)
  return { documents: inOrder.filter(({ id }) => texts.has(id)), texts, complete }
}

interface Asked {
  readonly size: number
  readonly vector: Float32Array | null
  readonly terms: readonly string[]
}

/** Null when the engine is away. */
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

/** In the index a document is its fleet's, and one of no fleet everybody's: so a fleet finds its own and those of none. */
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
