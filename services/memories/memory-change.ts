import type { CallerStatus } from '../../domain/life/status-moves.js'
import type { MemoryDraft } from '../../domain/memory-draft.js'
import { GIVEN_MEMBERS, nameOf } from '../../domain/memory-fields.js'
import type { MemoryColumns } from '../../store/memories/change-memory.js'

/** The fields that a change names; all others stay. */
export type MemoryChange = Partial<Omit<MemoryDraft, 'status' | 'supersedesId'>> & { readonly status?: CallerStatus }

/** Returns the contract's names of the fields that change, without the status. */
export function changedFieldsOf(changed: MemoryColumns | MemoryChange): string[] {
  const members = GIVEN_MEMBERS.filter((member) => member in changed && member !== 'status')
  const fields = [...members.map(nameOf), ...('links' in changed ? ['entity_links'] : [])]
  return 'pii' in changed && fields.length === 0 ? ['system_metadata'] : fields
}
