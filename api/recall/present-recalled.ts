import type { Ranked } from '../../domain/ranking/candidate.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import type { components } from '../contract.gen.js'
import { presentMemory } from '../memories/present-memory.js'
import type { RecallQuery } from './query.js'
import type { Skeleton } from './skeleton.js'

type RecalledMemory = components['schemas']['RecalledMemory']
type Explanation = components['schemas']['Explanation']

export interface Explained {
  readonly query: RecallQuery
  readonly skeleton: Skeleton
  /** Ids of the query's entities that the memory is linked to. */
  readonly matchedEntities: readonly string[]
}

/** A memory record with its scores and, if asked for, what brought it. */
export function presentRecalled(
  tenantId: string,
  row: MemoryRow,
  ranked: Ranked,
  explained: Explained | null,
): RecalledMemory {
  return {
    ...presentMemory(tenantId, row),
    similarity: ranked.similarity,
    score: ranked.score,
    score_parts: ranked.parts,
    ...(explained && { explanation: explain(ranked, explained) }),
  }
}

function explain({ candidate }: Ranked, { query, skeleton, matchedEntities }: Explained): Explanation {
  const ways = skeleton.found.get(candidate.id)
  return {
    legs: ways ? [...ways] : ['context'],
    matched_terms: query.terms.filter((term) => candidate.text.terms.has(term)),
    matched_entities: matchedEntities.map((id) => skeleton.entities.get(id)!),
    neighbours: [...candidate.neighbours.values()],
  }
}
