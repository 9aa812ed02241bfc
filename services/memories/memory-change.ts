import type { CallerStatus } from '../../domain/life/status-moves.js'
import type { MemoryDraft } from '../../domain/memory-draft.js'
import { GIVEN_MEMBERS, nameOf } from '../../domain/memory-fields.js'

/** The fields that a change names; all others stay. */
export type MemoryChange = Partial<Omit<MemoryDraft, 'status' | 'supersedesId'>> & { readonly status?: CallerStatus }

/** Returns the contract's names of the fields that a change has, without the status. */
export function namesOf(change: object): string[] {
  const members = GIVEN_MEMBERS.filter((member) => member in change && member !== 'status')
  return [...members.map(nameOf), ...('links' in change ? ['entity_links'] : [])]
}
