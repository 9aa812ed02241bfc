import type { AnalysedText, Candidate } from '../../domain/ranking/candidate.js'
import { entityEvidence } from '../../domain/ranking/entity-rarity.js'
import { type CandidateRow, readCandidates } from '../../store/memories/recall-rows.js'
import type { Reader } from '../../store/store.js'
import type { ServiceContext } from '../context.js'
import type { RecallQuery } from './query.js'
import type { CandidateSet } from './find-candidates.js'

export interface HydratedCandidates {
  readonly candidates: Candidate[]
  readonly matchedEntities: ReadonlyMap<string, readonly string[]>
  /** False when there was more new text than one recall analyses (`AnalysedMemories`). */
  readonly complete: boolean
}

/** Reads the candidates from Postgres as they are now. Their neighbours in the run become candidates too. */
export async function hydrate(
  reader: Reader,
  context: ServiceContext,
  query: RecallQuery,
  candidateSet: CandidateSet,
  signal: AbortSignal,
): Promise<HydratedCandidates> {
  const found = [...candidateSet.found.keys()]
  const read = await readCandidates(reader, query.filter, { found, hopSources: candidateSet.hopSources }, [
    ...candidateSet.entities.keys(),
  ])
  // Hits come before the pending tail, and the tail newest first: when there is more new text than one recall analyses, the last are left out.
  const order = new Map(found.map((id, position) => [id, position]))
  const positionOf = ({ id }: CandidateRow) => order.get(id) ?? found.length
  const rows = read.sort((a, b) => positionOf(a) - positionOf(b))
  const { texts, complete } = await context.analysedMemories.textsOf(reader, rows, signal)
  const present = rows.filter((row) => texts.has(row.id))
  return {
    candidates: present.map((row) => toCandidate(row, texts, candidateSet)),
    matchedEntities: new Map(present.map((row) => [row.id, row.matchedEntityIds])),
    complete,
  }
}

function toCandidate(
  row: CandidateRow,
  texts: ReadonlyMap<string, AnalysedText>,
  { entities, hops }: CandidateSet,
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
