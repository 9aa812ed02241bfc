import { v7 as uuidv7 } from 'uuid'
import type { components } from '../../contract/types.js'
import { degradedOf } from '../../services/retrieval/candidates.js'
import { type RecalledMemories, recallMemories } from '../../services/retrieval/memories/recall-memories.js'
import { recallRecordOf } from '../../services/retrieval/memories/record.js'
import { summarise } from '../../services/retrieval/memories/summarise.js'
import { presentMemory } from '../memories/present-memory.js'
import type { Operation } from '../operation.js'

/** Recalls memories (services/retrieval), and records what was recalled. */
export const recall: Operation<'recall'> = async (context, principal, { body, signal, externalCalls }) => {
  const started = performance.now()
  const { results, candidates } = await recallMemories(context, principal, body, { signal, externalCalls })
  const memories = results.map((result) => presentRecalled(principal.tenantId, result))

  const elapsed = performance.now() - started
  const degraded = degradedOf(candidates.degradedParts)
  context.metrics.recall(elapsed / 1000, degraded)
  const at = context.clock.now()
  const recallId = uuidv7({ msecs: at })
  const recallMs = Math.round(elapsed * 1000) / 1000
  const ranked = results.map((result) => result.ranked)
  const answer = { recallId, at: new Date(at), degraded, recallMs }
  context.recallLog.record(recallRecordOf(principal, body, ranked, candidates, answer))
  const { settings } = candidates.first
  const summary = body.include_summary
    ? await summarise(context, settings, body.query, memories, { elapsedMs: elapsed, signal, externalCalls })
    : null
  return {
    status: 200,
    body: {
      recall_id: recallId,
      query: body.query,
      memories,
      memory_count: memories.length,
      summary,
      recall_ms: recallMs,
      degraded,
      not_compared: [...candidates.notCompared],
    },
  }
}

/** Returns the contract's record of a recalled memory: the memory, its scores and, if there is one, its explanation. */
function presentRecalled(
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
