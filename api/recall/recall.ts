import { v7 as uuidv7 } from 'uuid'
import type { AnalysedQuery, RankedMemory } from '../../domain/ranking/candidate.js'
import { type DeduplicatedMemory, deduplicate } from '../../domain/ranking/deduplicate.js'
import { poolStatistics } from '../../domain/ranking/lexical.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { embeddedText } from '../../domain/text/memory-text.js'
import { findMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import { readTexts } from '../../store/memories/recall-rows.js'
import type { Reader } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { ServiceContext } from '../../services/context.js'
import type { components } from '../../contract/contract.gen.js'
import type { InputOf, Operation } from '../operation.js'
import { recallRecordOf } from '../../services/recall/recall-record.js'
import { analyseQuery } from '../../services/recall/analyse-query.js'
import { explainer } from '../../services/recall/explain.js'
import { hydrate, type HydratedCandidates } from '../../services/recall/hydrate.js'
import { presentRecalled } from './present-recalled.js'
import { type RecallQuery, readQuery } from '../../services/recall/query.js'
import { degradedOf, findCandidates, type CandidateSet } from '../../services/recall/find-candidates.js'
import { firstStageSize, runSecondStage } from '../../services/recall/second-stage.js'
import { summarise } from '../../services/recall/summarise.js'

type Explanation = components['schemas']['Explanation']

/** Recalls in four steps: candidates, hydration, rules, presentation (domain/ranking/README.md). */
export const recall: Operation<'recall'> = async (context, principal, input) => {
  const { body, signal, externalCalls } = input
  const started = performance.now()
  const query = readQuery(principal, body, context.clock.now())
  const candidateSet = await findCandidates(context, principal, query, { signal, externalCalls })
  const { first, rows, explain, complete, settings } = await context.store.read(principal, (reader) =>
    runFirstStage(reader, context, query, candidateSet, input),
  )
  const { best, isUnavailable } = await runSecondStage(context, query, first, rows, { signal, externalCalls })
  const memories = best.map((result) =>
    presentRecalled(principal.tenantId, rows.get(idOf(result))!, result, explain(result)),
  )

  const elapsed = performance.now() - started
  const degradedParts = new Set(candidateSet.degradedParts)
  if (!complete) degradedParts.add('pending')
  if (isUnavailable) degradedParts.add('rerank')
  const degraded = degradedOf(degradedParts)
  context.metrics.recall(elapsed / 1000, degraded)
  const at = context.clock.now()
  const recallId = uuidv7({ msecs: at })
  const recallMs = Math.round(elapsed * 1000) / 1000
  const answer = { recallId, at: new Date(at), degraded, recallMs }
  context.recallLog.record(recallRecordOf(principal, body, best, candidateSet, answer))
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
    },
  }
}

interface FirstStageResult {
  /** The first results, as many as the second stage needs, best first. */
  readonly first: readonly DeduplicatedMemory[]
  /** Their rows, by id. */
  readonly rows: ReadonlyMap<string, MemoryRow>
  /** Returns null when the caller did not ask for explanations. */
  readonly explain: (result: RankedMemory) => Explanation | null
  /** The member of `HydratedCandidates` of this name. */
  readonly complete: boolean
  /** The tenant's settings, read in the same round trip as the candidates. */
  readonly settings: Settings
}

/** Hydrates and ranks the candidates in one transaction. */
async function runFirstStage(
  reader: Reader,
  context: ServiceContext,
  query: RecallQuery,
  candidateSet: CandidateSet,
  { body, signal }: InputOf<'recall'>,
): Promise<FirstStageResult> {
  const [hydrated, settings] = await Promise.all([
    hydrate(reader, context, query, candidateSet, signal),
    readSettings(reader),
  ])
  const { ranked, analysed } = rankAll(context, query, candidateSet, hydrated, settings)
  const relevant = ranked.filter(({ similarity }) => similarity >= (body.min_score ?? 0))
  const first = deduplicate(relevant, firstStageSize(context, query))
  const [rows, neighbourTexts] = await Promise.all([
    findMemories(reader, query.filter.audience, first.map(idOf)),
    readTexts(reader, body.explain ? neighbourIdsOf(first) : [], null),
  ])
  const explain = body.explain
    ? explainer({
        query: analysed,
        candidateSet,
        matchedEntities: hydrated.matchedEntities,
        names: new Map(rows.flatMap((row) => row.entityLinks.map((link) => [link.entityId, link.name]))),
        texts: new Map([...rows, ...neighbourTexts].map((row) => [row.id, embeddedText(row)])),
        space: context.pieceSpace,
      })
    : () => null
  return { first, rows: new Map(rows.map((row) => [row.id, row])), explain, complete: hydrated.complete, settings }
}

function rankAll(
  { pieceSpace, rank }: ServiceContext,
  query: RecallQuery,
  candidateSet: CandidateSet,
  { candidates }: HydratedCandidates,
  { recall }: Settings,
): { ranked: RankedMemory[]; analysed: AnalysedQuery } {
  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(candidateSet.statistics, texts, query.terms)
  const analysed = analyseQuery(query, candidateSet.vector, texts, pieceSpace)
  const options = { now: query.filter.now, freshnessFloor: recall.freshness_floor }
  return { ranked: rank(analysed, candidates, statistics, pieceSpace, options), analysed }
}

function idOf({ candidate }: RankedMemory): string {
  return candidate.id
}

/** Returns the ids of the results' neighbours. They are candidates too, so the caller may see them. */
function neighbourIdsOf(best: readonly RankedMemory[]): string[] {
  return [...new Set(best.flatMap(({ candidate }) => [...candidate.neighbours.values()]))]
}
