import { entityRarity } from '../../domain/ranking/entity-rarity.js'
import type { CandidateSource } from '../../domain/ranking/candidate.js'
import { bestCandidates } from '../../domain/ranking/best-candidates.js'
import { UnavailableError } from '../../runtime/errors.js'
import { type CorpusStatistics, type Leg, LEGS, metadataTerm, type SearchAnswer } from '../../search/search-index.js'
import { findEntitiesByKeys, type QueriedEntities } from '../../store/entities.js'
import { readMarks } from '../../store/indexing/index-marks.js'
import { readNewest, readTail } from '../../store/memories/recall-rows.js'
import { readSharing } from '../../store/memories/shared-entities.js'
import type { Principal } from '../../domain/principal.js'
import type { ServiceContext } from '../context.js'
import { callsWithPermit, type ExternalCallContext } from '../../runtime/external-calls.js'
import { type RecallQuery, vectorOf } from './query.js'
import { verifyAnswer } from './whole-index.js'

/** Hits requested from each leg at least. With neighbours they make 130 to 170 candidates; more find nothing more (research: "as served"). */
const LEG_SIZE = 50
/** Hits, and rows of the tail, whose neighbours are read. With 30, LoCoMo's dev half loses .006 in R@10; 50 gain nothing. */
const MAX_HOP_SOURCES = 40
/** Rows of the pending tail, or of the newest memories when the engine is unavailable or its index incomplete. */
const TAIL_SIZE = 500

/** A part of recall that can fail while recall still answers. */
export type DegradedPart = Leg | 'rerank' | 'pending' | 'search'

/** Memories that one hop over shared entities adds at most. */
const MAX_HOP_MEMORIES = 30

interface NamedEntity {
  /** 0..1 (`entityRarity`). */
  readonly rarity: number
}

/** Ids of the memories that may answer a query, and how each was found. */
export interface CandidateSet {
  /** Sources that found each memory, by its id; the best hits of each leg come first. */
  readonly found: ReadonlyMap<string, ReadonlySet<CandidateSource>>
  /** Ids whose neighbours in the run are read. */
  readonly hopSources: readonly string[]
  readonly vector: Float32Array | null
  /** Entities that the query names and that are rare enough to tell memories apart, by id. */
  readonly entities: ReadonlyMap<string, NamedEntity>
  /** Strength of the link of each memory to one of these entities over one hop, 0..1, by the memory's id. */
  readonly hops: ReadonlyMap<string, number>
  readonly statistics: CorpusStatistics | null
  /** Parts of recall that failed. */
  readonly degradedParts: ReadonlySet<DegradedPart>
}

/**
 * Returns the memories that may answer a query. Reads the pending tail before it asks the engine: a row leaves the tail only when the
 * engine finds it, so no acknowledged memory is missed between the two.
 */
export async function findCandidates(
  context: ServiceContext,
  principal: Principal,
  query: RecallQuery,
  { signal, externalCalls }: ExternalCallContext,
): Promise<CandidateSet> {
  const embedding = context.embedder.remote ? externalCalls : callsWithPermit
  const [{ vector, isEmbedderDown }, { entities, memories, tail, marks }] = await embedding.run(
    () => vectorOf(context, query.text, signal),
    () =>
      context.store.read(principal, async (reader) => {
        // Pipelined: one round trip.
        const [named, tail, marks] = await Promise.all([
          findEntitiesByKeys(reader, query.nameKeys),
          readTail(reader, query.filter, TAIL_SIZE),
          readMarks(reader, context.indexBuildId),
        ])
        return { entities: rareEntities(named), memories: named.memories, tail, marks }
      }),
  )
  const degradedParts = new Set<DegradedPart>()
  const found = new Map<string, Set<CandidateSource>>()
  const add = (id: string, source: CandidateSource) =>
    void (found.get(id)?.add(source) ?? found.set(id, new Set([source])))

  const hopSources = new Set<string>()
  // `tail.stale` rows of the index may be gone from Postgres, so that many more hits are requested.
  const size = Math.max(LEG_SIZE, query.topK) + tail.stale
  const engineRequest = { size, vector, entityIds: [...entities.keys()] }
  const searching = context.index.engine === 'opensearch' ? externalCalls : callsWithPermit
  const [response, hops] = await searching.run(
    () => askEngine(context, principal, query, engineRequest, signal),
    () => findHops(context, principal, query, entities, memories),
  )
  const { answer, isWhole } = await verifyAnswer(context, principal, marks, response)
  if (!isWhole) {
    degradedParts.add('search')
    const newest = await context.store.read(principal, (reader) => readNewest(reader, query.filter, TAIL_SIZE))
    newest.forEach((id) => add(id, 'recent'))
    newest.slice(0, MAX_HOP_SOURCES).forEach((id) => hopSources.add(id))
  }
  if (answer !== null) {
    if (isEmbedderDown) degradedParts.add('vector')
    answer.failed.forEach((leg) => degradedParts.add(leg))
    for (const leg of LEGS) answer.legs[leg]?.forEach((hit) => add(hit.id, leg))
    bestCandidates(answer.legs, MAX_HOP_SOURCES).forEach((id) => hopSources.add(id))
  }
  for (const id of hops.keys()) add(id, 'hop')
  if (!tail.complete) degradedParts.add('pending')
  tail.ids.forEach((id) => add(id, 'pending'))
  tail.ids.slice(0, MAX_HOP_SOURCES).forEach((id) => hopSources.add(id))
  return {
    found,
    hopSources: [...hopSources],
    vector,
    entities,
    hops,
    statistics: answer?.statistics ?? null,
    degradedParts,
  }
}

function rareEntities({ entities, memories }: QueriedEntities): Map<string, NamedEntity> {
  const rarities = entities.map(({ id, linked }) => [id, { rarity: entityRarity(linked, memories) }] as const)
  return new Map(rarities.filter(([, { rarity }]) => rarity > 0))
}

/** Returns the memories that share a rare entity with memories of the query's entities, by id, with the product of both rarities on the best path. */
async function findHops(
  { store }: ServiceContext,
  principal: Principal,
  query: RecallQuery,
  entities: ReadonlyMap<string, NamedEntity>,
  memories: number,
): Promise<Map<string, number>> {
  if (entities.size === 0) return new Map()
  const named = [...entities].map(([id, { rarity }]) => ({ id, rarity }))
  const reached = await store.read(principal, (reader) => readSharing(reader, query.filter, named))
  const hops = new Map<string, number>()
  for (const { id, rarity, linked } of reached)
    hops.set(id, Math.max(hops.get(id) ?? 0, rarity * entityRarity(linked, memories)))
  return new Map([...hops].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_HOP_MEMORIES))
}

/** Asks the engine in one round trip for every leg that has something to search for. Returns null when the engine is unavailable. */
async function askEngine(
  context: ServiceContext,
  principal: Principal,
  query: RecallQuery,
  { size, vector, entityIds }: { size: number; vector: Float32Array | null; entityIds: readonly string[] },
  signal: AbortSignal,
): Promise<SearchAnswer | null> {
  const { metadata, ...filter } = query.filter
  const started = performance.now()
  const note = (leg: Leg, outcome: 'ok' | 'failed') =>
    context.metrics.leg(leg, outcome, (performance.now() - started) / 1000)
  try {
    const answer = await context.index.for(principal.tenantId).search(
      {
        filter: {
          ...filter,
          metadataTerms: metadata && Object.entries(metadata).map(([key, value]) => metadataTerm(key, value)),
        },
        size,
        ...(query.keywordTerms.length > 0 && { keyword: { terms: query.keywordTerms }, frequenciesOf: query.terms }),
        ...(vector && { vector: { vector } }),
        ...(entityIds.length > 0 && { entity: { entityIds } }),
      },
      signal,
    )
    for (const leg of LEGS) if (answer.legs[leg]) note(leg, 'ok')
    answer.failed.forEach((leg) => note(leg, 'failed'))
    return answer
  } catch (error) {
    if (!(error instanceof UnavailableError) || signal.aborted) throw error
    LEGS.forEach((leg) => note(leg, 'failed'))
    return null
  }
}

const DEGRADED_ORDER = ['vector', 'keyword', 'entity', 'rerank', 'pending'] as const

/** Returns the contract's `degraded`: the failed parts, or null when none failed. `search` replaces all others. */
export function degradedOf(degradedParts: ReadonlySet<DegradedPart>): string | null {
  if (degradedParts.has('search')) return 'search'
  return DEGRADED_ORDER.filter((part) => degradedParts.has(part)).join(',') || null
}
