import type { DeduplicatedMemory } from '../../../domain/ranking/rank.js'
import type { Principal } from '../../../domain/principal.js'
import type { ExternalCallContext } from '../../../runtime/external-calls.js'
import type { Yielding } from '../../../domain/yielding.js'
import { Slices } from '../../../runtime/slices.js'
import type { MemoryRow } from '../../../store/memories/read-memories.js'
import type { Checked } from '../../../contract/types.js'
import { queryOptions } from '../query.js'
import type { RecallContext } from './context.js'
import { findMemoryCandidates, type MemoryCandidates } from './candidates.js'
import { explainer, type Explanation } from './explain.js'
import { loadMemories } from './load.js'
import { readQuery } from './query.js'
import { rankMemories, RECALL_SLICES } from './rank.js'
import { readResults, firstStageSize, runSecondStage } from './results.js'

interface RecalledMemory {
  readonly ranked: DeduplicatedMemory
  readonly row: MemoryRow
  /** Null when the caller did not ask for explanations. */
  readonly explanation: Explanation | null
}

export interface RecalledMemories {
  /** Best first, `top_k` at most. */
  readonly results: readonly RecalledMemory[]
  readonly candidates: MemoryCandidates
}

/** Recalls memories in the stages of every search (../README.md). */
export async function recallMemories(
  context: RecallContext,
  principal: Principal,
  request: Checked<'RecallRequest'>,
  waiting: ExternalCallContext,
): Promise<RecalledMemories> {
  const query = await readQuery(principal, request, queryOptions(context, principal))
  const candidates = await findMemoryCandidates(context, principal, query, waiting)
  const loaded = await loadMemories(context, principal, query, candidates, waiting.signal)
  const limits = { minScore: request.min_score ?? 0, most: firstStageSize(context, query) }
  const inSlices = { ...RECALL_SLICES, signal: waiting.signal }
  const { first, analysed } = await new Slices(inSlices).run(rankMemories(context, query, candidates, loaded, limits))
  const shown = await readResults(context, principal, query, first, { withNeighbours: request.explain === true })
  const { best, isUnavailable } = await runSecondStage(context, query, first, shown.rows, waiting)
  if (isUnavailable) candidates.degradedParts.add('rerank')
  const explain = request.explain
    ? explainer({ query: analysed, candidates, loaded, shown, space: context.pieceSpace })
    : () => null
  return { results: await new Slices(inSlices).run(explainAll(best, shown.rows, explain)), candidates }
}

function* explainAll(
  best: readonly DeduplicatedMemory[],
  rows: ReadonlyMap<string, MemoryRow>,
  explain: (ranked: DeduplicatedMemory) => Explanation | null,
): Yielding<RecalledMemory[]> {
  const results: RecalledMemory[] = []
  for (const ranked of best) {
    results.push({ ranked, row: rows.get(ranked.candidate.id)!, explanation: explain(ranked) })
    yield
  }
  return results
}
