import type { RankedMemory } from '../../../domain/ranking/candidate.js'
import type { DeduplicatedMemory } from '../../../domain/ranking/deduplicate.js'
import type { Principal } from '../../../domain/principal.js'
import { findMemories, type MemoryRow } from '../../../store/memories/read-memories.js'
import { passes } from '../../../store/memories/recall-conditions.js'
import type { ServiceContext } from '../../context.js'
import type { RecallQuery } from './query.js'

export interface ResultRows {
  /** Rows of the results, by id: those that still pass the filter. */
  readonly rows: ReadonlyMap<string, MemoryRow>
  /** The results' neighbours in the run that are no results and pass the filter too; none unless they are asked for. */
  readonly neighbours: readonly MemoryRow[]
}

/**
 * Reads what an answer shows of its results. A memory that changed since it was ranked is returned as it is now; one that
 * was deleted, or passes the filter no longer, is left out.
 */
export async function readResults(
  { store }: ServiceContext,
  principal: Principal,
  { filter }: RecallQuery,
  results: readonly DeduplicatedMemory[],
  { withNeighbours }: { readonly withNeighbours: boolean },
): Promise<ResultRows> {
  if (results.length === 0) return { rows: new Map(), neighbours: [] }
  const ids = new Set(results.map(({ candidate }) => candidate.id))
  const asked = new Set([...ids, ...(withNeighbours ? neighbourIdsOf(results) : [])])
  const found = await store.readAtOnce(principal, (reader) =>
    findMemories(reader, filter.audience, [...asked], { passing: passes(filter) }),
  )
  const rows = new Map(found.flatMap((row) => (ids.has(row.id) ? [[row.id, row] as const] : [])))
  return { rows, neighbours: found.filter(({ id }) => !ids.has(id)) }
}

function neighbourIdsOf(results: readonly RankedMemory[]): string[] {
  return results.flatMap(({ candidate }) => candidate.neighbours.filter((id) => id !== null))
}
