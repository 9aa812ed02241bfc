import type { Candidate } from '../../../domain/ranking/candidate.js'
import { entityEvidence } from '../../../domain/ranking/entity-rarity.js'
import type { Principal } from '../../../domain/principal.js'
import { type CandidateRow, type NeighbourRow, readCandidates } from '../../../store/memories/recall-rows.js'
import type { ServiceContext } from '../../context.js'
import { inOrderOf } from '../in-order.js'
import type { RememberedMemory } from './analysed-memories.js'
import type { MemoryCandidates } from './candidates.js'
import type { RecallQuery } from './query.js'

export interface LoadedMemories {
  readonly candidates: readonly Candidate[]
  /** Ids of the query's entities that each memory is linked to, by the memory's id. */
  readonly matchedEntities: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads the candidates from PostgreSQL as they are now: what is deleted, hidden or filtered out is left out, whatever
 * the index said. Their neighbours in the run become candidates too. Adds `pending` to the degraded parts when there is
 * more new text than one recall analyses: the last of the tail are left out then.
 */
export async function loadMemories(
  { store, analysedMemories }: ServiceContext,
  principal: Principal,
  query: RecallQuery,
  { found, hopSources, first, degradedParts }: MemoryCandidates,
  signal: AbortSignal,
): Promise<LoadedMemories> {
  const ids = [...found.keys()]
  const entityIds = [...first.entities.keys()]
  const unknown = analysedMemories.unknownOf(ids)
  const [{ found: rows, beside }, unread] = await store.readAtOnce(principal, (reader) =>
    Promise.all([
      readCandidates(reader, query.filter, ids, { sources: hopSources, entityIds }),
      analysedMemories.readTexts(reader, unknown),
    ]),
  )
  // Neighbours, which nothing had named, come last.
  const all = new Map([...inOrderOf(ids, rows), ...beside].map((row) => [row.id, row]))
  const { texts, complete } = await analysedMemories.textsOf(
    (work) => store.readAtOnce(principal, work),
    [...all.values()],
    unread,
    signal,
  )
  if (!complete) degradedParts.add('pending')
  const present = [...all.values()].filter(({ id }) => texts.has(id))
  const neighbours = neighboursOf(beside, texts)
  return {
    candidates: present.map((row) => toCandidate(row, texts.get(row.id)!, neighbours.get(row.id) ?? NONE, first)),
    matchedEntities: new Map(present.map((row) => [row.id, row.matchedEntityIds])),
  }
}

type Neighbours = ReadonlyMap<number, string>

const NONE: Neighbours = new Map()

/**
 * Returns the neighbours of each candidate by offset, both ways: a row that came only as a neighbour has the row that
 * brought it beside it. One that is no candidate, since it fails the filter, must not appear in the explanation.
 */
function neighboursOf(beside: readonly NeighbourRow[], present: ReadonlyMap<string, unknown>): Map<string, Neighbours> {
  const neighbours = new Map<string, Map<number, string>>()
  const add = (id: string, offset: number, neighbour: string) => {
    const known = neighbours.get(id) ?? new Map<number, string>()
    neighbours.set(id, known.set(offset, neighbour))
  }
  for (const { sourceId, offset, id } of beside) {
    if (!present.has(sourceId) || !present.has(id)) continue
    add(sourceId, offset, id)
    add(id, -offset, sourceId)
  }
  // In the order of their places, whichever source was found first.
  return new Map([...neighbours].map(([id, places]) => [id, new Map([...places].sort(([a], [b]) => a - b))]))
}

function toCandidate(
  row: CandidateRow,
  { memoryType, status, weight, runId, createdAt, text, recallCount }: RememberedMemory,
  neighbours: Neighbours,
  { entities, hops }: MemoryCandidates['first'],
): Candidate {
  return {
    id: row.id,
    memoryType,
    status,
    weight,
    runId,
    createdAt,
    recallCount,
    entities: entityEvidence(row.matchedEntityIds.map((id) => entities.get(id)!.rarity)),
    hop: hops.get(row.id) ?? 0,
    neighbours,
    text,
  }
}
