import type { components } from '../../contract/contract.gen.js'
import type { CallerStatus } from '../../domain/life/status-moves.js'
import type { MemoryDraft } from '../../domain/memory-draft.js'
import type { MemoryColumns } from '../../store/memories/change-memory.js'

/** The fields that a change names; all others stay. */
export type MemoryChange = Partial<Omit<MemoryDraft, 'status' | 'supersedesId'>> & { readonly status?: CallerStatus }

/** Maps the contract's names of the fields that callers may change to their members. */
export const MEMBER_OF_FIELD = {
  content: 'content',
  memory_type: 'memoryType',
  title: 'title',
  weight: 'weight',
  source_uri: 'sourceUri',
  run_id: 'runId',
  metadata: 'metadata',
  entity_links: 'links',
  expires_at: 'expiresAt',
  ts_valid_start: 'validStart',
  ts_valid_end: 'validEnd',
  subject_entity_id: 'subjectEntityId',
  predicate: 'predicate',
  object_value: 'objectValue',
  visibility: 'visibility',
  confidence: 'confidence',
  scope: 'scope',
} as const satisfies Partial<Record<keyof components['schemas']['MemoryPatch'], keyof MemoryDraft>>

/** Returns the contract's names of the fields that change, without the status. */
export function changedFieldsOf(changed: MemoryColumns | MemoryChange): string[] {
  const fields = Object.entries(MEMBER_OF_FIELD).flatMap(([field, member]) => (member in changed ? [field] : []))
  return 'pii' in changed && fields.length === 0 ? ['system_metadata'] : fields
}
