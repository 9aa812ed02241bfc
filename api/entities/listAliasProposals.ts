import { audienceOf } from '../../domain/visibility.js'
import { proposeAliases } from '../../services/entities/alias-proposals.js'
import type { Operation } from '../operation.js'

export const listAliasProposals: Operation<'listAliasProposals'> = async ({ store }, principal, { params, signal }) => {
  const asked = { audience: audienceOf(principal, 'all'), id: params.entity_id, signal }
  const proposals = await proposeAliases(store, principal, asked)
  const items = proposals.map(({ entity, evidence, ambiguousWith }) => ({
    entity_id: entity.id,
    name: entity.name,
    evidence: evidence.map(({ reason, memoryId }) => ({ reason, memory_id: memoryId })),
    ambiguous_with: [...ambiguousWith],
  }))
  return { status: 200, body: { items } }
}
