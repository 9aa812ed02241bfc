import { v7 as uuidv7 } from 'uuid'
import type { components } from '../../contract/types.js'
import { characterCount } from '../../domain/text/characters.js'
import { degradedOf } from '../../services/retrieval/candidates.js'
import { type RecalledMemories, recallMemories } from '../../services/retrieval/memories/recall-memories.js'
import { recallRecordOf } from '../../services/retrieval/memories/record.js'
import { MOST_COPIES } from '../../services/retrieval/memories/results.js'
import { summarise } from '../../services/retrieval/memories/summarise.js'
import { previewOf } from '../../store/memories/read-memories.js'
import { momentOf } from '../memories/moment.js'
import { presentMemory } from '../memories/present-memory.js'
import type { Operation } from '../operation.js'

/** Recalls memories (services/retrieval), and records what was recalled. */
export const recall: Operation<'recall'> = async (context, principal, { body, signal, externalCalls }) => {
  const started = performance.now()
  if (body.known_at !== undefined) momentOf(body.known_at, context.clock)
  const { results, others, candidates, leftOut, confidence } = await recallMemories(context, principal, body, {
    signal,
    externalCalls,
  })
  const memories = results.map((result) => presentRecalled(principal.tenantId, result, others))

  const elapsed = performance.now() - started
  const degraded = degradedOf(candidates.degradedParts)
  context.metrics.recall(elapsed / 1000, degraded)
  const at = context.clock.now()
  const recallId = uuidv7({ msecs: at })
  const recallMs = Math.round(elapsed * 1000) / 1000
  const ranked = results.map(({ result }) => result.ranked)
  const answer = { recallId, at: new Date(at), degraded, recallMs, confidence: confidence.level }
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
      left_out: leftOut,
      confidence: presentConfidence(confidence, { withParts: body.explain }),
      summary,
      recall_ms: recallMs,
      degraded,
      not_compared: [...candidates.notCompared],
    },
  }
}

function presentConfidence(
  { level, value, missing, parts }: RecalledMemories['confidence'],
  { withParts }: { readonly withParts: boolean },
): components['schemas']['Confidence'] {
  return { level, value, missing: [...missing], ...(withParts && { parts }) }
}

type RecalledMemory = components['schemas']['RecalledMemory']

/** Returns the contract's record of a recalled memory: the memory, its scores, what is folded under it and, if there is one, its explanation. */
function presentRecalled(
  tenantId: string,
  { result, cut, copies, earlier, later, explanation }: RecalledMemories['results'][number],
  others: RecalledMemories['others'],
): RecalledMemory {
  const { ranked, row } = result
  const alike = [...ranked.folded, ...copies.flatMap((copy) => [copy.row.id, ...copy.ranked.folded])]
  const read = [...others, ...copies.map((copy) => ({ ...copy.row, isEcho: copy.row.systemMetadata.is_echo === true }))]
  return {
    ...presentMemory(tenantId, row),
    ...(cut !== null && { content: cut, content_length: characterCount(row.content) }),
    similarity: ranked.similarity,
    score: ranked.score,
    score_parts: ranked.parts,
    ...(alike.length > 0 && { copies: presentCopies(alike, read) }),
    ...(earlier.length > 0 && { earlier: earlier.map(presentMember) }),
    ...(later.length > 0 && { later: later.map(presentMember) }),
    ...(explanation && { explanation }),
  }
}

function presentCopies(
  ids: readonly string[],
  read: readonly Pick<RecalledMemories['others'][number], 'id' | 'agentId' | 'isEcho'>[],
): NonNullable<RecalledMemory['copies']> {
  const known = new Map(read.map((copy) => [copy.id, copy]))
  const copies = ids.flatMap((id) => known.get(id) ?? []).slice(0, MOST_COPIES)
  const echoes = copies.filter(({ isEcho }) => isEcho).length
  const authors = copies.flatMap(({ agentId, isEcho }) => (isEcho || agentId === null ? [] : [agentId]))
  return {
    count: ids.length,
    memory_ids: copies.map(({ id }) => id),
    agent_ids: [...new Set(authors)],
    ...(echoes > 0 && { echo_count: echoes }),
  }
}

type ChainMember = NonNullable<RecalledMemory['earlier']>[number]

function presentMember({ result: { row }, why }: RecalledMemories['results'][number]['earlier'][number]): ChainMember {
  return { id: row.id, content: previewOf(row.content), created_at: row.createdAt.toISOString(), why }
}
