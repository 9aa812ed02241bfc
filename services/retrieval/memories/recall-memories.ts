import type { Confidence } from '../../../domain/answers/confidence.js'
import type { Principal } from '../../../domain/principal.js'
import type { ExternalCallContext } from '../../../runtime/external-calls.js'
import type { Yielding } from '../../../domain/yielding.js'
import { Slices } from '../../../runtime/slices.js'
import type { Checked } from '../../../contract/types.js'
import { queryOptions } from '../query.js'
import type { RecallContext } from './context.js'
import { findMemoryCandidates, type MemoryCandidates } from './candidates.js'
import { composable, composeAnswers, packAnswers, type PackedAnswer } from './compose.js'
import { explainer, type Explanation } from './explain.js'
import { loadMemories } from './load.js'
import { readQuery } from './query.js'
import { rankMemories, RECALL_SLICES } from './rank.js'
import { firstStageSize, readResults, type ResultRows, runSecondStage, shownSize } from './results.js'

interface RecalledMemory extends PackedAnswer {
  /** Null when the caller did not ask for explanations. */
  readonly explanation: Explanation | null
}

export interface RecalledMemories {
  /** Best first, `top_k` at most. */
  readonly results: readonly RecalledMemory[]
  /** Texts that are folded under equal ones, and neighbours. */
  readonly others: ResultRows['others']
  readonly candidates: MemoryCandidates
  /** Number of answers for which the budget had no room. */
  readonly leftOut: number
  readonly confidence: Confidence
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
  const ranking = { minScore: request.min_score ?? 0, most: firstStageSize(context, query) }
  const inSlices = { ...RECALL_SLICES, signal: waiting.signal }
  const { first, analysed, confidence } = await new Slices(inSlices).run(
    rankMemories(context, query, candidates, loaded, ranking),
  )
  if (isWithheld(confidence, candidates, request.answer_if))
    return { results: [], others: [], candidates, leftOut: 0, confidence }
  const toCompose = composable(query, first, loaded.links, shownSize(context, query))
  const withNeighbours = request.explain === true
  const shown = await readResults(context, principal, query, toCompose.wanted, { withNeighbours })
  const { best, isUnavailable } = await runSecondStage(context, query, toCompose.wanted, shown.rows, waiting)
  if (isUnavailable) candidates.degradedParts.add('rerank')
  const answers = composeAnswers(query, best, shown.rows, toCompose)
  const { packed, leftOut } = await new Slices(inSlices).run(packAnswers(answers, request))
  const explain = request.explain
    ? explainer({ query: analysed, candidates, loaded, shown, space: context.pieceSpace })
    : () => null
  return {
    results: await new Slices(inSlices).run(explainAll(packed, explain)),
    others: shown.others,
    candidates,
    leftOut,
    confidence,
  }
}

/** Returns whether a confidence is below the level that an answer needs. Where not everything was searched, it says nothing of what is known. */
function isWithheld(
  { level }: Confidence,
  { degradedParts }: MemoryCandidates,
  least: Checked<'RecallRequest'>['answer_if'],
): boolean {
  const isEnough = least === undefined || level === 'high' || level === least
  return !isEnough && degradedParts.size === 0
}

function* explainAll(
  answers: readonly PackedAnswer[],
  explain: (answer: PackedAnswer) => Explanation | null,
): Yielding<RecalledMemory[]> {
  const results: RecalledMemory[] = []
  for (const answer of answers) {
    results.push({ ...answer, explanation: explain(answer) })
    yield
  }
  return results
}
