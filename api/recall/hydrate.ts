import type { Candidate } from '../../domain/ranking/candidate.js'
import {
  hydrateCandidates,
  type CandidateRow,
  type Neighbour,
  readNeighbours,
} from '../../store/memories/recall-rows.js'
import type { Reader } from '../../store/store.js'
import type { ApiContext } from '../context.js'
import type { RecallQuery } from './query.js'
import type { Skeleton } from './skeleton.js'

export interface Hydrated {
  readonly candidates: Candidate[]
  readonly matchedEntities: ReadonlyMap<string, readonly string[]>
  /** False when there was more new text than one recall analyses. */
  readonly complete: boolean
}

/** Candidates as Postgres has them now, with their neighbours in the run as candidates too. */
export async function hydrate(
  reader: Reader,
  context: ApiContext,
  query: RecallQuery,
  skeleton: Skeleton,
  signal: AbortSignal,
): Promise<Hydrated> {
  const neighbours = await readNeighbours(reader, query.filter.audience, skeleton.promising)
  const ids = [...new Set([...skeleton.found.keys(), ...neighbours.map(({ neighbourId }) => neighbourId)])]
  const byId = new Map(
    (await hydrateCandidates(reader, query.filter, ids, [...skeleton.entities.keys()])).map((row) => [row.id, row]),
  )
  // Hits come before the tail, and the tail newest first, should there be more new text than one recall analyses.
  const rows = ids.flatMap((id) => byId.get(id) ?? [])
  const { texts, complete } = await context.analysedMemories.textsOf(reader, rows, signal)
  const present = rows.filter((row) => texts.has(row.id))
  const passing = new Set(present.map((row) => row.id))
  const beside = groupByRow(neighbours.filter(({ neighbourId }) => passing.has(neighbourId)))
  return {
    candidates: present.map((row) =>
      toCandidate(row, texts.get(row.id)!, beside.get(row.id) ?? new Map<number, string>()),
    ),
    matchedEntities: new Map(present.map((row) => [row.id, row.matchedEntityIds])),
    complete,
  }
}

/** Both ways: a row that came only as a neighbour has the row that brought it beside it. */
function groupByRow(neighbours: readonly Neighbour[]): Map<string, Map<number, string>> {
  const byRow = new Map<string, Map<number, string>>()
  const place = (id: string, offset: number, other: string) => {
    const places = byRow.get(id) ?? new Map<number, string>()
    byRow.set(id, places.set(offset, other))
  }
  for (const { id, neighbourId, offset } of neighbours) {
    place(id, offset, neighbourId)
    place(neighbourId, -offset, id)
  }
  return byRow
}

function toCandidate(row: CandidateRow, text: Candidate['text'], neighbours: Candidate['neighbours']): Candidate {
  return {
    id: row.id,
    memoryType: row.memoryType,
    status: row.status,
    weight: row.weight,
    runId: row.runId,
    createdAt: row.createdAt,
    recallCount: row.recallCount,
    matchedEntities: row.matchedEntityIds.length,
    neighbours,
    text,
  }
}
