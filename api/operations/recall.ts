import { v7 as uuidv7 } from 'uuid'
import { poolStatistics } from '../../domain/ranking/lexical.js'
import { rank } from '../../domain/ranking/rank.js'
import { findMemories } from '../../store/memories/read-memories.js'
import type { Operation } from '../operation.js'
import { hydrate } from '../recall/hydrate.js'
import { presentRecalled } from '../recall/present-recalled.js'
import { readQuery } from '../recall/query.js'
import { degradedOf, findCandidates } from '../recall/skeleton.js'

/** Skeleton, hydration, rules, presentation (domain/ranking/README.md). */
export const recall: Operation<'recall'> = async (context, principal, { body, signal }) => {
  const started = performance.now()
  const query = readQuery(principal, body, context.clock.now())
  const skeleton = await findCandidates(context, principal, query, signal)
  const { candidates, matchedEntities } = await hydrate(context, principal, query, skeleton)

  const texts = candidates.map(({ text }) => text)
  const statistics = poolStatistics(skeleton.statistics, texts, query.terms)
  const ranked = rank({ terms: query.terms, vector: skeleton.vector }, candidates, statistics, query.filter.now)
  const relevant = ranked.filter(({ score, similarity }) => score > 0 && similarity >= (body.min_score ?? 0))
  const best = relevant.slice(0, body.top_k ?? 10)

  const rows = await context.store.read(principal, (reader) =>
    findMemories(
      reader,
      query.filter.audience,
      best.map(({ candidate }) => candidate.id),
    ),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const memories = best.flatMap((result) => {
    const row = byId.get(result.candidate.id)
    if (!row) return []
    const explained = body.explain ? { query, skeleton, matchedEntities: matchedEntities.get(row.id) ?? [] } : null
    return [presentRecalled(principal.tenantId, row, result, explained)]
  })

  const elapsed = performance.now() - started
  const degraded = degradedOf(skeleton.missing)
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
