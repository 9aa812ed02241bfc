import type { Principal } from '../../../domain/principal.js'
import { RESULTS_READ } from '../../../domain/answers/confidence.js'
import type { RecallQuery } from '../../../domain/query.js'
import type { Viewing } from '../../../domain/recall-filter.js'
import type { RankedMemory } from '../../../domain/ranking/candidate.js'
import { type DeduplicatedMemory, mergeSecondStage, SECOND_STAGE_SIZE } from '../../../domain/ranking/rank.js'
import { withoutHalfCharacter } from '../../../domain/text/characters.js'
import { embeddedText } from '../../../domain/text/memory-text.js'
import { UnavailableError } from '../../../runtime/errors.js'
import { callsWithPermit, type ExternalCallContext } from '../../../runtime/external-calls.js'
import { readShownTexts, type ShownText } from '../../../store/memories/candidate-texts.js'
import { findMemories, type MemoryRow } from '../../../store/memories/read-memories.js'
import { passes } from '../../../store/memories/recall-conditions.js'
import type { RecallContext } from './context.js'

export interface ResultRows {
  /** Rows of the results, by id: those that still pass the filter. */
  readonly rows: ReadonlyMap<string, MemoryRow>
  /** Texts that pass the filter too: those folded under equal ones, and, if they are asked for, the results' neighbours in the run that are no results. */
  readonly others: readonly ShownText[]
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
  if (results.length === 0) return { rows: new Map(), others: [] }
  const ids = results.map(({ candidate }) => candidate.id)
  const beside = new Set([...results.flatMap(foldedIds), ...(withNeighbours ? neighbourIdsOf(results) : [])])
  for (const id of ids) beside.delete(id)
  const [rows, others] = await store.readAtOnce(principal, (reader) =>
    Promise.all([
      findMemories(reader, filter.audience, ids, { passing: passes(filter), knownAt: momentOf(filter) }),
      readShownTexts(reader, filter, [...beside]),
    ]),
  )
  return { rows: new Map(rows.map((row) => [row.id, row])), others }
}

function momentOf({ knownAt }: Viewing): Date | undefined {
  return knownAt === undefined ? undefined : new Date(knownAt)
}

/** Copies of one result that are named. */
export const MOST_COPIES = 20

function foldedIds({ folded }: DeduplicatedMemory): readonly string[] {
  return folded.slice(0, MOST_COPIES)
}

function neighbourIdsOf(results: readonly RankedMemory[]): string[] {
  return results.flatMap(({ candidate }) => candidate.neighbours.filter((id) => id !== null))
}

/** Characters of a text that the reranker reads. Cross-encoders take some 512 tokens of query and text together. */
const MAX_TEXT_LENGTH = 2_000
const MAX_QUERY_LENGTH = 1_000

/** Results beyond those asked for that take the places of what is folded under others. */
const MOST_FOLDED = 20

/** Returns how many results are shown, or read by the second stage if these are more. */
export function shownSize({ reranker }: RecallContext, { topK }: RecallQuery): number {
  return reranker === null ? topK : Math.max(topK, SECOND_STAGE_SIZE)
}

/** Returns how many results the first stage has to give: those that are shown, those that may take their places, and those that the confidence reads. */
export function firstStageSize(context: RecallContext, query: RecallQuery): number {
  return Math.max(RESULTS_READ, shownSize(context, query) + (query.direction === null ? 0 : MOST_FOLDED))
}

/**
 * Returns the results in the order of the second stage, or of the first where no reranker is configured. `isUnavailable` is true when the
 * reranker is unavailable or exceeds its deadline. Must not run within a transaction: the reranker may be another service.
 */
export async function runSecondStage(
  { reranker, metrics }: RecallContext,
  { text }: RecallQuery,
  first: readonly DeduplicatedMemory[],
  rows: ReadonlyMap<string, MemoryRow>,
  { signal, externalCalls }: ExternalCallContext,
): Promise<{ readonly best: readonly DeduplicatedMemory[]; readonly isUnavailable: boolean }> {
  const present = first.filter(({ candidate }) => rows.has(candidate.id))
  if (reranker === null || present.length < 2) return { best: present, isUnavailable: false }
  const texts = present
    .slice(0, SECOND_STAGE_SIZE)
    .map(({ candidate }) => withoutHalfCharacter(embeddedText(rows.get(candidate.id)!).slice(0, MAX_TEXT_LENGTH)))
  const question = withoutHalfCharacter(text.slice(0, MAX_QUERY_LENGTH))
  const started = performance.now()
  const note = (outcome: 'ok' | 'failed') => metrics.leg('rerank', outcome, (performance.now() - started) / 1_000)
  try {
    const waiting = reranker.remote ? externalCalls : callsWithPermit
    const [relevances] = await waiting.run(() => reranker.rerank(question, texts, signal))
    note('ok')
    return { best: mergeSecondStage(present, relevances), isUnavailable: false }
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    note('failed')
    return { best: present, isUnavailable: true }
  }
}
