import { v7 as uuidv7 } from 'uuid'
import type { Ranked } from '../../domain/ranking/candidate.js'
import { poolStatistics } from '../../domain/ranking/lexical.js'
import { rank } from '../../domain/ranking/rank.js'
import { findMemories } from '../../store/memories/read-memories.js'
import type { ApiContext } from '../context.js'
import type { Operation } from '../operation.js'
import { analyseQuery } from '../recall/analysed-query.js'
import { hydrate, type Hydrated } from '../recall/hydrate.js'
import { presentRecalled } from '../recall/present-recalled.js'
import { type RecallQuery, readQuery } from '../recall/query.js'
import { degradedOf, findCandidates, type Skeleton } from '../recall/skeleton.js'

/** Skeleton, hydration, rules, presentation (domain/ranking/README.md). */
export const recall: Operation<'recall'> = async (context, principal, { body, signal }) => {
  const started = performance.now()
  const query = readQuery(principal, body, context.clock.now())
  const skeleton = await findCandidates(context, principal, query, signal)
  const { best, rows, hydrated } = await context.store.read(principal, async (reader) => {
    const hydrated = await hydrate(reader, context, query, skeleton, signal)
    const relevant = rankAll(context, query, skeleton, hydrated).filter(
      ({ similarity }) => similarity >= (body.min_score ?? 0),
    )
    const best = relevant.slice(0, body.top_k ?? 10)
    const ids = best.map(({ candidate }) => candidate.id)
    return { best, hydrated, rows: await findMemories(reader, query.filter.audience, ids) }
  })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const memories = best.flatMap((result) => {
    const row = byId.get(result.candidate.id)
    if (!row) return []
    const explained = body.explain
      ? { query, skeleton, matchedEntities: hydrated.matchedEntities.get(row.id) ?? [] }
      : null
    return [presentRecalled(principal.tenantId, row, result, explained)]
  })

  const elapsed = performance.now() - started
  const degraded = degradedOf(hydrated.complete ? skeleton.missing : new Set([...skeleton.missing, 'pending']))
  context.metrics.recall(elapsed / 1000, degraded)
  context.recallLog.record(
    principal.tenantId,
    memories.map(({ id }) => id),
  )
  return {
    status: 200,
    body: {
      recall_id: uuidv7(),
      query: body.query,
      memories,
      memory_count: memories.length,
      summary: null,
      recall_ms: Math.round(elapsed * 1000) / 1000,
      degraded,
    },
  }
}

function rankAll(
  { pieceSpace }: ApiContext,
  query: RecallQuery,
  skeleton: Skeleton,
  { candidates }: Hydrated,
): Ranked[] {
  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(skeleton.statistics, texts, query.terms)
  const analysed = analyseQuery(query, skeleton.vector, texts, pieceSpace)
  return rank(analysed, candidates, statistics, pieceSpace, query.filter.now)
}
