import type { ErasureSelector } from '../../store/erasure/erasures.js'
import type { components } from '../contract/contract.gen.js'

type ErasureRequest = components['schemas']['ErasureRequest']

/** The one member that the contract lets through. */
export function readSelector(request: ErasureRequest): ErasureSelector {
  if (request.agent_id !== undefined) return { agentId: request.agent_id }
  if (request.subject_entity_id !== undefined) return { subjectEntityId: request.subject_entity_id.toLowerCase() }
  return { memoryIds: request.memory_ids!.map((id) => id.toLowerCase()) }
}

/** The entity that an erasure is by, or none: it is looked for beside the memories, and goes with them. */
export function entityIdsOf(selector: ErasureSelector): string[] {
  return 'subjectEntityId' in selector ? [selector.subjectEntityId] : []
}
