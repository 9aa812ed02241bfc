import type { Corpus } from '../../domain/corpus.js'
import type { Principal } from '../../domain/principal.js'
import type { Query } from '../../domain/query.js'
import type { CandidateSource } from '../../domain/ranking/candidate.js'
import { isNarrowed, minuteOf } from '../../domain/recall-filter.js'
import { UnavailableError } from '../../runtime/errors.js'
import { callsWithPermit, type ExternalCallContext } from '../../runtime/external-calls.js'
import { type CorpusStatistics, type Leg, LEGS, type SearchAnswer, type SearchHit } from '../../search/search-index.js'
import { usableVector } from '../../search/vectors.js'
import { type KnownMarks, readMarks } from '../../store/indexing/known-marks.js'
import type { Tail } from '../../store/outbox/pending-tail.js'
import type { Reader } from '../../store/store.js'
import type { SearchContext } from './context.js'
import { verifyAnswer } from './whole-index.js'

/** Hits requested from each leg at least. 80 find no more (domain/ranking/README.md). */
export const LEG_SIZE = 50
/** Rows of the pending tail, or of the newest rows when the engine is unavailable or its index incomplete. */
export const TAIL_SIZE = 500

/** Reads of one corpus, until its rows are loaded. Each is sent at once: none of its statements needs the answer of another. */
export interface CandidateReads<First extends { readonly tail: Tail }> {
  readonly corpus: Corpus
  /** Reads the pending tail, and what else the search needs, before the engine is asked. */
  readonly readFirst: (reader: Reader) => Promise<First>
  /** Ids of the entities that the query names. */
  readonly entityIdsOf?: (first: First) => readonly string[]
  /** Fleets in which the caller wrote (`RecallFilter`). */
  readonly authoredFleetsOf?: (first: First) => readonly string[]
  /** Reads the ids of the newest rows, at most `TAIL_SIZE`. */
  readonly readNewest: (reader: Reader) => Promise<string[]>
}

/** Ids of the rows that may answer a query, and what is known of them before they are loaded. */
export interface Candidates<First> {
  /**
   * Sources that found each row, by its id: the newest where the engine is away, then the hits of the legs in turn, the
   * best first, then the pending tail, newest change first.
   */
  readonly found: Map<string, Set<CandidateSource>>
  /** The engine's hits by leg. */
  readonly hits: Partial<Record<Leg, readonly SearchHit[]>>
  /** The newest rows; empty while the engine answers. */
  readonly newest: readonly string[]
  readonly first: First
  readonly vector: Float32Array | null
  readonly statistics: CorpusStatistics | null
  /** Parts of the search that failed. */
  readonly degradedParts: Set<DegradedPart>
  /** Legs that could compare the query with nothing, though nothing failed. */
  readonly notCompared: readonly ComparingLeg[]
  /** Asks the engine again, for so many more hits of each leg. What was read and embedded before the first time is taken again. */
  readonly withMore: (hits: number) => Promise<Candidates<First>>
}

/**
 * Finds the rows that may answer a query. Reads the pending tail before it asks the engine: a row leaves the tail only
 * when the engine finds it, so no acknowledged row is missed between the two. Names the parts that failed instead of
 * answering with an empty result.
 */
export async function findCandidates<First extends { readonly tail: Tail }>(
  context: SearchContext,
  principal: Principal,
  query: Query,
  reads: CandidateReads<First>,
  waiting: ExternalCallContext,
): Promise<Candidates<First>> {
  const embedding = context.embedder.remote ? waiting.externalCalls : callsWithPermit
  const [embedded, before] = await embedding.run(
    () => vectorOf(context, query.text, waiting.signal),
    () => readBeforeSearch(context, principal, reads),
  )
  const find = async (more: number): Promise<Candidates<First>> => ({
    ...(await search(context, principal, query, reads, { ...embedded, ...before, more }, waiting)),
    withMore: find,
  })
  return find(0)
}

interface Prepared<First> extends EmbeddedQuery, ReadBefore<First> {
  /** Hits of each leg beyond those that every search asks for. */
  readonly more: number
}

/** Asks the engine, and finds what it and the reads before it name. */
async function search<First extends { readonly tail: Tail }>(
  context: SearchContext,
  principal: Principal,
  query: Query,
  reads: CandidateReads<First>,
  { vector, isEmbedderDown, first, marks, more }: Prepared<First>,
  { signal, externalCalls }: ExternalCallContext,
): Promise<Omit<Candidates<First>, 'withMore'>> {
  const { tail } = first
  const searching = context.index.engine === 'opensearch' ? externalCalls : callsWithPermit
  // An older copy of `tail.stale` rows may take the place of another hit, so that many more are requested.
  const size = Math.max(LEG_SIZE, query.topK) + tail.stale + more
  const [response] = await searching.run(() =>
    askEngine(
      context,
      principal,
      query,
      reads,
      {
        size,
        vector,
        entityIds: reads.entityIdsOf?.(first),
        authoredFleets: reads.authoredFleetsOf?.(first),
        now: indexInstant(query, tail),
      },
      signal,
    ),
  )
  const { answer, isWhole } = await verifyAnswer(context, principal, marks, response)
  const degradedParts = new Set<DegradedPart>(answer?.failed)
  if (!isWhole) degradedParts.add('search')
  if (answer !== null && isEmbedderDown) degradedParts.add('vector')
  if (!tail.complete) degradedParts.add('pending')
  const newest = isWhole ? [] : await context.store.readAtOnce(principal, reads.readNewest)
  const hits = answer?.legs ?? {}
  const found = sourcesById(newest, hits, tail.ids)
  const statistics = answer?.statistics ?? null
  const notCompared = answer === null ? [] : legsWithout(query, answer, { vector, isEmbedderDown, tail })
  return { found, hits, newest, first, vector, statistics, degradedParts, notCompared }
}

/** A leg that compares texts with the query. */
export type ComparingLeg = Extract<Leg, 'vector' | 'keyword'>

/**
 * Returns the legs that compared the query with nothing. The vector leg compares it with every text that has a vector: where it has no hit although
 * there are texts, the model knows no word of them. Rows of the tail may have vectors that the engine has not yet.
 */
function legsWithout(
  { keywordTerms, filter }: Query,
  { legs, failed, statistics }: SearchAnswer,
  { vector, isEmbedderDown, tail }: EmbeddedQuery & { readonly tail: Tail },
): ComparingLeg[] {
  const areTexts =
    LEGS.some((leg) => (legs[leg]?.length ?? 0) > 0) || (!isNarrowed(filter) && (statistics?.documents ?? 0) > 0)
  const isUnknown = vector === null || (legs.vector?.length === 0 && tail.ids.length === 0 && areTexts)
  return [
    ...(isUnknown && !isEmbedderDown && !failed.includes('vector') ? (['vector'] as const) : []),
    ...(keywordTerms.length === 0 ? (['keyword'] as const) : []),
  ]
}

interface EmbeddedQuery {
  /** Null when the embedder is unavailable or knows no word of the text. */
  readonly vector: Float32Array | null
  readonly isEmbedderDown: boolean
}

async function vectorOf({ queryVectors }: SearchContext, text: string, signal: AbortSignal): Promise<EmbeddedQuery> {
  try {
    return { vector: usableVector(await queryVectors.vectorOf(text, signal)), isEmbedderDown: false }
  } catch (error) {
    if (error instanceof UnavailableError) return { vector: null, isEmbedderDown: true }
    throw error
  }
}

interface ReadBefore<First> {
  readonly first: First
  readonly marks: KnownMarks
}

function readBeforeSearch<First extends { readonly tail: Tail }>(
  { store, indexBuildId }: SearchContext,
  principal: Principal,
  { readFirst }: CandidateReads<First>,
): Promise<ReadBefore<First>> {
  return store.readAtOnce(principal, async (reader) => {
    const [first, marks] = await Promise.all([readFirst(reader), readMarks(reader, indexBuildId)])
    return { first, marks }
  })
}

interface EngineRequest {
  readonly size: number
  readonly vector: Float32Array | null
  readonly entityIds: readonly string[] | undefined
  readonly authoredFleets: readonly string[] | undefined
  /** The instant of the filter. */
  readonly now: number
}

/**
 * Returns the instant that the index compares expiry with: the minute's beginning, so that an engine caches its filter for all searches of that
 * minute; the present one where rows have expired since, which would take the places of live ones.
 */
function indexInstant({ filter }: Query, tail: Tail): number {
  return tail.hasJustExpired ? filter.now : minuteOf(filter.now)
}

/** Asks the engine in one round trip for every leg that has something to search for. Returns null when it is unavailable. */
async function askEngine(
  context: SearchContext,
  principal: Principal,
  { keywordTerms, terms, filter }: Query,
  { corpus }: Pick<CandidateReads<never>, 'corpus'>,
  { size, vector, entityIds = [], authoredFleets, now }: EngineRequest,
  signal: AbortSignal,
): Promise<SearchAnswer | null> {
  const started = performance.now()
  const note = (leg: Leg, outcome: 'ok' | 'failed') =>
    context.metrics.leg(leg, outcome, (performance.now() - started) / 1000)
  try {
    const answer = await context.index.for(principal.tenantId, corpus).search(
      {
        filter: { ...filter, authoredFleets, now },
        size,
        ...(keywordTerms.length > 0 && { keyword: { terms: keywordTerms }, frequenciesOf: terms }),
        ...(vector && { vector: { vector } }),
        ...(entityIds.length > 0 && { entity: { entityIds } }),
      },
      signal,
    )
    for (const leg of LEGS) if (answer.legs[leg] && !answer.failed.includes(leg)) note(leg, 'ok')
    answer.failed.forEach((leg) => note(leg, 'failed'))
    return answer
  } catch (error) {
    if (!(error instanceof UnavailableError) || signal.aborted) throw error
    LEGS.forEach((leg) => note(leg, 'failed'))
    return null
  }
}

/** Takes the hits of the legs in turn, so that the first ones are the best of each: a search may not afford to load all. */
function sourcesById(
  newest: readonly string[],
  hits: Partial<Record<Leg, readonly SearchHit[]>>,
  pending: readonly string[],
): Map<string, Set<CandidateSource>> {
  const legs = LEGS.map((leg) => hits[leg] ?? [])
  const longest = Math.max(...legs.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, place) => legs.flatMap((leg) => leg[place]?.id ?? [])).flat()
  const found = new Map([...newest, ...inTurn, ...pending].map((id) => [id, new Set<CandidateSource>()]))
  newest.forEach((id) => found.get(id)!.add('recent'))
  for (const leg of LEGS) hits[leg]?.forEach(({ id }) => found.get(id)!.add(leg))
  pending.forEach((id) => found.get(id)!.add('pending'))
  return found
}

/** A part of a search that can fail while the search still answers. */
export type DegradedPart = Leg | 'rerank' | 'pending' | 'search'

const ORDER = ['vector', 'keyword', 'entity', 'rerank', 'pending'] as const

/** Returns the contract's `degraded`: the failed parts, or null when none failed. `search` replaces all others. */
export function degradedOf(parts: ReadonlySet<DegradedPart>): string | null {
  if (parts.has('search')) return 'search'
  return ORDER.filter((part) => parts.has(part)).join(',') || null
}
