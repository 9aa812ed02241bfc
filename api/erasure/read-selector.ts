import type { ErasureSelector } from '../../store/erasure/erasures.js'
import type { Checked } from '../../contract/types.js'

type ErasureRequest = Checked<'ErasureRequest'>

/** Returns the selector of a request. The contract lets exactly one member through. */
export function readSelector(request: ErasureRequest): ErasureSelector {
  if (request.agent_id !== undefined) return { agentId: request.agent_id }
  if (request.subject_entity_id !== undefined) return { subjectEntityId: request.subject_entity_id.toLowerCase() }
  return { memoryIds: request.memory_ids!.map((id) => id.toLowerCase()) }
}
