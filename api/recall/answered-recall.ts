import type { Folded } from '../../domain/ranking/fold.js'
import type { Principal } from '../../domain/principal.js'
import type { AnsweredRecall } from '../../store/recalls.js'
import type { components } from '../contract/contract.gen.js'
import type { Skeleton } from './skeleton.js'

type RecallRequest = components['schemas']['RecallRequest']

/** What is kept of a recall: who asked, what came and why, and neither the query nor anything else that may be a text. */
export function answeredRecall(
  principal: Principal,
  request: RecallRequest,
  came: readonly Folded[],
  skeleton: Skeleton,
  answer: Pick<AnsweredRecall, 'recallId' | 'at' | 'degraded' | 'recallMs'>,
): AnsweredRecall {
  const { tenant_id: _tenant, query: _query, metadata_filter: _filter, ...narrowed } = request
  return {
    ...answer,
    tenantId: principal.tenantId,
    actorKind: principal.kind,
    agentId: principal.agentId,
    fleetId: principal.fleetId,
    keyId: principal.keyId,
    request: narrowed,
    results: came.map(({ candidate, similarity, score, parts }) => ({
      memory_id: candidate.id,
      similarity,
      score,
      score_parts: parts,
      legs: [...(skeleton.found.get(candidate.id) ?? ['context'])],
    })),
  }
}
