import { bestCandidates } from '../../../domain/ranking/weights.js'
import type { TermStatistics } from '../../../domain/ranking/candidate.js'
import { entityRarity } from '../../../domain/ranking/lexical.js'
import { groupOf } from '../../../domain/text/analysis.js'
import { mayHaveRowsElsewhere } from '../../../domain/visibility.js'
import type { Principal } from '../../../domain/principal.js'
import type { ExternalCallContext } from '../../../runtime/external-calls.js'
import { type QueriedEntities, readQueriedEntities } from '../../../store/memories/queried-entities.js'
import { readAuthoredFleets } from '../../../store/memories/audience.js'
import { readChanged, withChanged } from '../../../store/memories/changed-memories.js'
import { readNewest, readTail } from '../../../store/memories/recall-rows.js'
import type { Tail } from '../../../store/outbox/pending-tail.js'
import type { Reader } from '../../../store/store.js'
import { readSettings } from '../../../store/tenants/settings.js'
import type { Settings } from '../../../domain/settings/settings.gen.js'
import type { RecallContext } from './context.js'
import { type Candidates, findCandidates, TAIL_SIZE } from '../candidates.js'
import type { CommonEntityCache } from './common-entities.js'
import type { RecallQuery } from '../../../domain/query.js'

/** Rows whose neighbours are read, of the newest, of the hits and of the tail each. With 30, LoCoMo's dev half loses .006 in R@10; 50 gain nothing. */
const MAX_NEIGHBOUR_SOURCES = 40
/** Memories that one hop over shared entities adds at most. */
const MAX_HOP_MEMORIES = 30

/** Holds what is read before the engine is asked. */
interface FirstRead {
  readonly tail: Tail
  readonly queried: QueriedEntities
  /** Fleets in which the caller wrote, where it may not read them all anyway. */
  readonly authoredFleets: readonly string[]
  readonly settings: Settings
}

/** The things of entities by the entities' ids, with how rare each thing is. */
export type NamedEntities = ReadonlyMap<string, { readonly thing: string; readonly rarity: number }>

/** The memories that may answer a query, and how each was found. */
export interface MemoryCandidates extends Candidates<FirstRead> {
  /** Ids whose neighbours in the run are read. */
  readonly neighbourSources: readonly string[]
  /** The entities that the query names and that tell memories apart, and other names of the same things, by id; rarities (`entityRarity`) are 0..1. */
  readonly entities: NamedEntities
  /** Strength of the link of each memory to one of these entities over one hop, 0..1, by the memory's id. */
  readonly hops: ReadonlyMap<string, number>
}

/** Finds the memories that may answer a query: those of the index and the tail, and those one hop over a shared entity away. */
export async function findMemoryCandidates(
  context: RecallContext,
  principal: Principal,
  query: RecallQuery,
  waiting: ExternalCallContext,
): Promise<MemoryCandidates> {
  const candidates = await findCandidates(
    context,
    principal,
    query,
    {
      corpus: 'memories',
      readFirst: (reader) => readFirst(reader, query, context.commonEntities),
      entityIdsOf: ({ queried }) => queried.named.map(({ id }) => id),
      authoredFleetsOf: ({ authoredFleets }) => authoredFleets,
      readNewest: (reader) => readNewest(reader, query.filter, TAIL_SIZE),
    },
    waiting,
  )
  const { found, hits, newest, first, statistics } = candidates
  const entities = rarityOf(first.queried, statistics)
  const hops = hopsOf(first.queried, entities)
  for (const id of hops.keys()) found.set(id, (found.get(id) ?? new Set()).add('hop'))
  const best = [newest, bestCandidates(hits, MAX_NEIGHBOUR_SOURCES), first.tail.ids]
  return {
    ...candidates,
    entities,
    hops,
    neighbourSources: [...new Set(best.flatMap((ids) => ids.slice(0, MAX_NEIGHBOUR_SOURCES)))],
  }
}

async function readFirst(reader: Reader, query: RecallQuery, cache: CommonEntityCache): Promise<FirstRead> {
  const { tenantId } = reader
  const { audience } = query.filter
  const [queried, tail, authoredFleets, settings, changed] = await Promise.all([
    readQueriedEntities(reader, query.filter, query.nameKeys, cache.commonOf(tenantId, audience)),
    readTail(reader, query.filter, TAIL_SIZE),
    mayHaveRowsElsewhere(audience) ? readAuthoredFleets(reader, audience.agentId) : [],
    readSettings(reader),
    query.filter.knownAt === undefined ? null : readChanged(reader, query, TAIL_SIZE),
  ])
  cache.addCommon(tenantId, audience, queried.common)
  return { tail: changed ? withChanged(tail, changed) : tail, queried, authoredFleets, settings }
}

/**
 * Returns the rarity of each thing that the query names, and that tells memories apart, under each of its names. One whose name is a single word is no rarer
 * than the word: a word that most texts write small is hardly a name where it begins a sentence.
 */
function rarityOf({ named, memories }: QueriedEntities, statistics: TermStatistics | null): NamedEntities {
  const rarities = new Map<string, number>()
  for (const { nameKey, thing, linked, isAsked } of named) {
    if (!isAsked) continue
    const terms = nameKey.includes(' ') ? null : groupOf(nameKey, null)
    const texts = Math.max(0, ...(terms ?? []).map((term) => statistics?.frequency.get(term) ?? 0))
    const rarity = entityRarity(Math.max(linked, texts), memories)
    rarities.set(thing, Math.max(rarities.get(thing) ?? 0, rarity))
  }
  const entities = named.map(({ id, thing }) => [id, { thing, rarity: rarities.get(thing)! }] as const)
  return new Map(entities.filter(([, { rarity }]) => rarity > 0))
}

/** Returns the memories that share a rare entity with memories of the query's entities, by id, with the product of both rarities on the best path. */
function hopsOf({ reached, memories }: QueriedEntities, entities: NamedEntities): Map<string, number> {
  const hops = new Map<string, number>()
  for (const { id, linked, namedId } of reached) {
    const strength = (entities.get(namedId)?.rarity ?? 0) * entityRarity(linked, memories)
    if (strength > 0) hops.set(id, Math.max(hops.get(id) ?? 0, strength))
  }
  return new Map([...hops].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_HOP_MEMORIES))
}
