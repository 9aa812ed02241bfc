import type { DeduplicatedMemory } from '../../../domain/ranking/deduplicate.js'
import type { Principal } from '../../../domain/principal.js'
import type { ExternalCallContext } from '../../../runtime/external-calls.js'
import type { MemoryRow } from '../../../store/memories/read-memories.js'
import type { components } from '../../../contract/contract.gen.js'
import type { ServiceContext } from '../../context.js'
import { findMemoryCandidates, type MemoryCandidates } from './candidates.js'
import { explainer, type Explanation } from './explain.js'
import { loadMemories } from './load.js'
import { readQuery } from './query.js'
import { rankMemories } from './rank.js'
import { readResults } from './read-results.js'
import { firstStageSize, runSecondStage } from './second-stage.js'

export interface RecalledMemories {
  /** Best first, `top_k` at most. */
  readonly results: readonly {
    readonly ranked: DeduplicatedMemory
    readonly row: MemoryRow
    /** Null when the caller did not ask for explanations. */
    readonly explanation: Explanation | null
  }[]
  readonly candidates: MemoryCandidates
}

/** Recalls memories in the stages of every search (../README.md). */
export async function recallMemories(
  context: ServiceContext,
  principal: Principal,
  request: components['schemas']['RecallRequest'],
  waiting: ExternalCallContext,
): Promise<RecalledMemories> {
  const query = readQuery(principal, request, context.clock.now())
  const candidates = await findMemoryCandidates(context, principal, query, waiting)
  const loaded = await loadMemories(context, principal, query, candidates, waiting.signal)
  const limits = { minScore: request.min_score ?? 0, most: firstStageSize(context, query) }
  const { first, analysed } = rankMemories(context, query, candidates, loaded, limits)
  const shown = await readResults(context, principal, query, first, { withNeighbours: request.explain === true })
  const { best, isUnavailable } = await runSecondStage(context, query, first, shown.rows, waiting)
  if (isUnavailable) candidates.degradedParts.add('rerank')
  const explain = request.explain
    ? explainer({ query: analysed, candidates, loaded, shown, space: context.pieceSpace })
    : () => null
  return {
    results: best.map((ranked) => ({
      ranked,
      row: shown.rows.get(ranked.candidate.id)!,
      explanation: explain(ranked),
    })),
    candidates,
  }
}
