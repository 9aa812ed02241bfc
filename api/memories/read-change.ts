import type { components } from '../../contract/contract.gen.js'
import { MEMBER_OF_FIELD, type MemoryChange } from '../../services/memories/memory-change.js'
import { readDraft } from './read-draft.js'

type MemoryPatch = components['schemas']['MemoryPatch']
type MemoryFields = components['schemas']['MemoryFields']

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
