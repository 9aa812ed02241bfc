import type { Memory } from '../memory-fields.js'
import type { RankedMemory } from '../ranking/candidate.js'

/** A result of the ranking, with what composing reads of its row. */
export interface Result {
  readonly ranked: RankedMemory
  readonly row: Pick<
    Memory,
    | 'id'
    | 'title'
    | 'content'
    | 'language'
    | 'subjectEntityId'
    | 'visibility'
    | 'fleetId'
    | 'agentId'
    | 'createdAt'
    | 'validStart'
    | 'validEnd'
  >
}
