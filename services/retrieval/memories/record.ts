import type { DeduplicatedMemory } from '../../../domain/ranking/rank.js'
import type { Principal } from '../../../domain/principal.js'
import type { AnsweredRecall } from '../../../store/recalls.js'
import type { Checked } from '../../../contract/types.js'
import type { MemoryCandidates } from './candidates.js'

type RecallRequest = Checked<'RecallRequest'>

/** Returns the record that is stored of a recall: who asked, which memories were returned and why. It holds no query and no other text. */
export function recallRecordOf(
  principal: Principal,
  request: RecallRequest,
  results: readonly DeduplicatedMemory[],
  { found }: MemoryCandidates,
  answer: Pick<AnsweredRecall, 'recallId' | 'at' | 'degraded' | 'recallMs' | 'confidence'>,
): AnsweredRecall {
  const { tenant_id: _tenant, query: _query, metadata_filter: _metadata, filter: _filter, ...narrowed } = request
  return {
    ...answer,
    tenantId: principal.tenantId,
    actorKind: principal.kind,
    agentId: principal.agentId,
    fleetId: principal.fleetId,
    keyId: principal.keyId,
    request: narrowed,
    results: results.map(({ candidate, similarity, score, parts }) => ({
      memory_id: candidate.id,
      similarity,
      score,
      score_parts: parts,
      legs: [...(found.get(candidate.id) ?? ['context'])],
    })),
  }
}
