import type { ChainLink } from '../../../domain/answers/compose.js'
import type { Candidate, CandidateSource } from '../../../domain/ranking/candidate.js'
import { type NeighbourOffset, NEIGHBOUR_OFFSETS } from '../../../domain/ranking/pool.js'
import { entityEvidence } from '../../../domain/ranking/lexical.js'
import type { Principal } from '../../../domain/principal.js'
import {
  type CandidateRow,
  type NeighbourRow,
  readCandidates,
  readSuccessors,
  type Successors,
} from '../../../store/memories/recall-rows.js'
import type { RecallContext } from './context.js'
import { inOrderOf } from '../../../store/rows-by-id.js'
import type { RememberedMemory } from './analysed-memories.js'
import type { MemoryCandidates, NamedEntities } from './candidates.js'
import type { RecallQuery } from '../../../domain/query.js'

export interface LoadedMemories {
  readonly candidates: readonly Candidate[]
  /** Returns the ids of the query's entities that a candidate is linked to. */
  readonly matchedEntities: (id: string) => readonly string[]
  /** Links to what superseded candidates, if answers are to be composed. */
  readonly links: readonly ChainLink[]
}

/**
 * Reads the candidates from PostgreSQL as they are now: what is deleted, hidden or filtered out is left out, whatever
 * the index said. Their neighbours in the run become candidates too, and what superseded them. Adds `pending` to the degraded parts when there is
 * more new text than one recall analyses: neighbours are left out first, then memories one hop away, then the last of the tail.
 */
export async function loadMemories(
  { store, analysedMemories }: RecallContext,
  principal: Principal,
  query: RecallQuery,
  candidates: MemoryCandidates,
  signal: AbortSignal,
): Promise<LoadedMemories> {
  const { found, neighbourSources, entities, degradedParts } = candidates
  const ids = [...found.keys()]
  const unknown = analysedMemories.unknownOf(ids)
  const [{ found: rows, beside }, unread] = await store.readAtOnce(principal, (reader) =>
    Promise.all([
      readCandidates(reader, query.filter, ids, { sources: neighbourSources, entityIds: [...entities.keys()] }),
      analysedMemories.readTexts(reader, query.filter, unknown),
    ]),
  )
  // Neighbours, which nothing had named, come last.
  const all = new Map<string, CandidateRow>()
  for (const row of inOrderOf(ids, rows)) all.set(row.id, row)
  for (const { row } of beside) if (!all.has(row.id)) all.set(row.id, row)
  const textsOf = (wanted: readonly CandidateRow[], read: Parameters<typeof analysedMemories.textsOf>[3]) =>
    analysedMemories.textsOf((work) => store.readAtOnce(principal, work), query.filter, wanted, read, signal)
  const { texts, complete } = await textsOf([...all.values()], unread)
  if (!complete) degradedParts.add('pending')
  const superseded = query.direction === null ? [] : [...texts].filter(([, { status }]) => status === 'outdated')
  const oldIds = superseded.map(([id]) => id)
  const { links, rows: successors } =
    oldIds.length === 0
      ? NO_SUCCESSORS
      : await store.readAtOnce(principal, (reader) => readSuccessors(reader, query.filter, oldIds))
  const others = successors.filter(({ id }) => !all.has(id))
  for (const row of others) {
    all.set(row.id, row)
    found.set(row.id, new Set<CandidateSource>(['successor']))
  }
  if (others.length > 0) {
    const later = await textsOf(others, [])
    for (const [id, text] of later.texts) texts.set(id, text)
    if (!later.complete) degradedParts.add('pending')
  }
  const neighbours = neighboursOf(beside, texts)
  const loaded: Candidate[] = []
  for (const row of all.values()) {
    const memory = texts.get(row.id)
    if (memory !== undefined) loaded.push(toCandidate(row, memory, neighbours.get(row.id) ?? NONE, candidates))
  }
  return { candidates: loaded, matchedEntities: (id) => all.get(id)?.matchedEntityIds ?? [], links }
}

const NO_SUCCESSORS: Successors = { links: [], rows: [] }

const NONE: readonly null[] = []

/**
 * Returns the neighbours of each candidate, both ways: a row that came only as a neighbour has the row that brought it beside it. One
 * that is no candidate, since it fails the filter, must not appear in the explanation.
 */
function neighboursOf(
  beside: readonly NeighbourRow[],
  present: ReadonlyMap<string, unknown>,
): Map<string, (string | null)[]> {
  const neighbours = new Map<string, (string | null)[]>()
  const add = (id: string, offset: NeighbourOffset, neighbour: string) => {
    let places = neighbours.get(id)
    if (places === undefined) neighbours.set(id, (places = NEIGHBOUR_OFFSETS.map(() => null)))
    places[NEIGHBOUR_OFFSETS.indexOf(offset)] = neighbour
  }
  for (const { sourceId, offset, row } of beside) {
    if (!present.has(sourceId) || !present.has(row.id)) continue
    add(sourceId, offset, row.id)
    add(row.id, -offset as NeighbourOffset, sourceId)
  }
  return neighbours
}

/** Returns the rarity of each thing that the entities are names of. */
function raritiesOf(ids: readonly string[], entities: NamedEntities): number[] {
  if (ids.length === 0) return []
  const things = new Map(ids.map((id) => [entities.get(id)!.thing, entities.get(id)!.rarity]))
  return [...things.values()]
}

function toCandidate(
  row: CandidateRow,
  { memoryType, status, weight, runId, createdAt, text, recallCount }: RememberedMemory,
  neighbours: Candidate['neighbours'],
  { entities, hops }: Pick<MemoryCandidates, 'entities' | 'hops'>,
): Candidate {
  return {
    id: row.id,
    memoryType,
    status,
    weight,
    runId,
    createdAt,
    recallCount,
    entities: entityEvidence(raritiesOf(row.matchedEntityIds, entities)),
    hop: hops.get(row.id) ?? 0,
    neighbours,
    text,
  }
}
