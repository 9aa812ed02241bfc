import type { RankedMemory } from '../../../domain/ranking/candidate.js'
import type { DeduplicatedMemory } from '../../../domain/ranking/rank.js'
import type { Principal } from '../../../domain/principal.js'
import { readShownTexts, type ShownText } from '../../../store/memories/candidate-texts.js'
import { findMemories, type MemoryRow } from '../../../store/memories/read-memories.js'
import { passes } from '../../../store/memories/recall-conditions.js'
import type { RecallContext } from './context.js'
import type { RecallQuery } from '../../../domain/query.js'

export interface ResultRows {
  /** Rows of the results, by id: those that still pass the filter. */
  readonly rows: ReadonlyMap<string, MemoryRow>
  /** Texts of the results' neighbours in the run that are no results and pass the filter too; none unless they are asked for. */
  readonly neighbours: readonly ShownText[]
}

/**
 * Reads what an answer shows of its results. A memory that changed since it was ranked is returned as it is now; one that
 * was deleted, or passes the filter no longer, is left out.
 */
export async function readResults(
  { store }: RecallContext,
  principal: Principal,
  { filter }: RecallQuery,
  results: readonly DeduplicatedMemory[],
  { withNeighbours }: { readonly withNeighbours: boolean },
): Promise<ResultRows> {
  if (results.length === 0) return { rows: new Map(), neighbours: [] }
  const ids = results.map(({ candidate }) => candidate.id)
  const beside = new Set(withNeighbours ? neighbourIdsOf(results) : [])
  for (const id of ids) beside.delete(id)
  const [rows, neighbours] = await store.readAtOnce(principal, (reader) =>
    Promise.all([
      findMemories(reader, filter.audience, ids, { passing: passes(filter) }),
      readShownTexts(reader, filter, [...beside]),
    ]),
  )
  return { rows: new Map(rows.map((row) => [row.id, row])), neighbours }
}

function neighbourIdsOf(results: readonly RankedMemory[]): string[] {
  return results.flatMap(({ candidate }) => candidate.neighbours.filter((id) => id !== null))
}
