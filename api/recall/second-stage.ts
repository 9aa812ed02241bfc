import type { Folded } from '../../domain/ranking/fold.js'
import { mergeSecondStage, SECOND_STAGE_SIZE } from '../../domain/ranking/second-stage.js'
import { embeddedText } from '../../domain/text/memory-text.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import type { ApiContext } from '../context.js'
import { inside, type Waiting } from '../outside.js'
import type { RecallQuery } from './query.js'

/** What of a text the reranker reads: models of its kind know some 512 tokens, of query and text together. */
const TEXT_LENGTH = 2_000
const QUERY_LENGTH = 1_000

/** How many results of the first stage are wanted: as many as are asked for, or as the second one reads. */
export function firstStageSize({ reranker }: ApiContext, { topK }: RecallQuery): number {
  return reranker === null ? topK : Math.max(topK, SECOND_STAGE_SIZE)
}

/**
 * The results to answer with: by the second stage's order where there is one, else by the first's. `isMissing` when it is
 * away or late; it has a deadline of its own. Not within a transaction: it may ask another service.
 */
export async function secondStage(
  { reranker, metrics }: ApiContext,
  { text, topK }: RecallQuery,
  first: readonly Folded[],
  rows: ReadonlyMap<string, MemoryRow>,
  { signal, outside }: Waiting,
): Promise<{ readonly best: readonly Folded[]; readonly isMissing: boolean }> {
  const present = first.filter(({ candidate }) => rows.has(candidate.id))
  if (reranker === null || present.length < 2) return { best: present.slice(0, topK), isMissing: false }
  const texts = present
    .slice(0, SECOND_STAGE_SIZE)
    .map(({ candidate }) => embeddedText(rows.get(candidate.id)!).slice(0, TEXT_LENGTH))
  const started = performance.now()
  const note = (outcome: 'ok' | 'failed') => metrics.leg('rerank', outcome, (performance.now() - started) / 1_000)
  try {
    const waiting = reranker.remote ? outside : inside
    const [relevances] = await waiting.ask(() => reranker.rerank(text.slice(0, QUERY_LENGTH), texts, signal))
    note('ok')
    return { best: mergeSecondStage(present, relevances).slice(0, topK), isMissing: false }
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    note('failed')
    return { best: present.slice(0, topK), isMissing: true }
  }
}
