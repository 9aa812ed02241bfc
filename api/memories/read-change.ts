import type { MemoryDraft } from '../../domain/memory-draft.js'
import type { CallerStatus } from '../../domain/life/status-moves.js'
import type { MemoryColumns } from '../../store/memories/change-memory.js'
import type { components } from '../../contract/contract.gen.js'
import { readDraft } from './read-draft.js'

type MemoryPatch = components['schemas']['MemoryPatch']
type MemoryFields = components['schemas']['MemoryFields']

/** The fields that a change names; all others stay. */
export type MemoryChange = Partial<Omit<MemoryDraft, 'status' | 'supersedesId'>> & { readonly status?: CallerStatus }

const MEMBER_OF_FIELD = {
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
} as const satisfies Partial<Record<keyof MemoryPatch, keyof MemoryDraft>>

/** Returns the contract's names of the fields that change, without the status. */
export function changedFieldsOf(changed: MemoryColumns | MemoryChange): string[] {
  const fields = Object.entries(MEMBER_OF_FIELD).flatMap(([field, member]) => (member in changed ? [field] : []))
  return 'pii' in changed && fields.length === 0 ? ['system_metadata'] : fields
}

/** Returns the fields that a patch names, parsed like those of a write. */
export function readChange(patch: MemoryPatch): MemoryChange {
  const { status, tenant_id: _, ...fields } = patch
  const draft = readDraft({ content: '', status: 'active', weight: 0, ...fields } as MemoryFields)
  const named = Object.entries(MEMBER_OF_FIELD).filter(([field]) => fields[field as keyof typeof fields] !== undefined)
  return {
    ...Object.fromEntries(named.map(([, member]) => [member, draft[member]])),
    ...(status !== undefined && { status }),
  }
}
