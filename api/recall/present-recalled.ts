import type { RecalledMemories } from '../../services/retrieval/memories/recall-memories.js'
import type { components } from '../../contract/types.js'
import { presentMemory } from '../memories/present-memory.js'

/** Returns the contract's record of a recalled memory: the memory, its scores and, if there is one, its explanation. */
export function presentRecalled(
  tenantId: string,
  { ranked, row, explanation }: RecalledMemories['results'][number],
): components['schemas']['RecalledMemory'] {
  return {
    ...presentMemory(tenantId, row),
    similarity: ranked.similarity,
    score: ranked.score,
    score_parts: ranked.parts,
    ...(ranked.folded > 0 && { folded: ranked.folded }),
    ...(explanation && { explanation }),
  }
}
