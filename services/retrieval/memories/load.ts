import type { AnalysedText, Candidate } from '../../../domain/ranking/candidate.js'
import { entityEvidence } from '../../../domain/ranking/entity-rarity.js'
import type { Principal } from '../../../domain/principal.js'
import { type CandidateRow, readCandidates } from '../../../store/memories/recall-rows.js'
import type { ServiceContext } from '../../context.js'
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
  const unknown = analysedMemories.unknownOf(ids)
  const [read, unread] = await store.readAtOnce(principal, (reader) =>
    Promise.all([
      readCandidates(reader, query.filter, { found: ids, hopSources }, [...first.entities.keys()]),
      analysedMemories.readTexts(reader, unknown),
    ]),
  )
  // Neighbours, which nothing had named, come last.
  const order = new Map(ids.map((id, place) => [id, place]))
  const placeOf = ({ id }: CandidateRow) => order.get(id) ?? ids.length
  const rows = read.toSorted((a, b) => placeOf(a) - placeOf(b))
  const { texts, complete } = await analysedMemories.textsOf(
    (work) => store.readAtOnce(principal, work),
    rows,
    unread,
    signal,
  )
  if (!complete) degradedParts.add('pending')
  const present = rows.filter(({ id }) => texts.has(id))
  return {
    candidates: present.map((row) => toCandidate(row, texts, first)),
    matchedEntities: new Map(present.map((row) => [row.id, row.matchedEntityIds])),
  }
}

function toCandidate(
  row: CandidateRow,
  texts: ReadonlyMap<string, AnalysedText>,
  { entities, hops }: MemoryCandidates['first'],
): Candidate {
  const neighbours = new Map<number, string>()
  for (const [offset, id] of Object.entries(row.neighbours ?? {}))
    // A neighbour that fails the filter is no candidate and must not appear in the explanation.
    if (texts.has(id)) neighbours.set(Number(offset), id)
  return {
    id: row.id,
    memoryType: row.memoryType,
    status: row.status,
    weight: row.weight,
    runId: row.runId,
    createdAt: row.createdAt,
    recallCount: row.recallCount,
    entities: entityEvidence(row.matchedEntityIds.map((id) => entities.get(id)!.rarity)),
    hop: hops.get(row.id) ?? 0,
    neighbours,
    text: texts.get(row.id)!,
  }
}
