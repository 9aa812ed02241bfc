import type { DeduplicatedMemory } from '../../domain/ranking/deduplicate.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import type { components } from '../../contract/contract.gen.js'
import { presentMemory } from '../memories/present-memory.js'

type RecalledMemory = components['schemas']['RecalledMemory']
type Explanation = components['schemas']['Explanation']

/** Returns the contract's record of a recalled memory: the memory, its scores and, if there is one, its explanation. */
export function presentRecalled(
  tenantId: string,
  row: MemoryRow,
  ranked: DeduplicatedMemory,
  explanation: Explanation | null,
): RecalledMemory {
  return {
    ...presentMemory(tenantId, row),
    similarity: ranked.similarity,
    score: ranked.score,
    score_parts: ranked.parts,
    ...(ranked.folded > 0 && { folded: ranked.folded }),
    ...(explanation && { explanation }),
  }
}
