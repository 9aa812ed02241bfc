import type { DraftFault } from '../../domain/memory-draft.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'

/** The refusal of a draft that stands at `loc` in the request; null when nothing speaks against it. */
export function refusalOf(faults: readonly DraftFault[], loc: readonly string[]): InvalidArgumentsError | null {
  if (faults.length === 0) return null
  return new InvalidArgumentsError(
    faults.map(({ field, message }) => ({ loc: [...loc, field], msg: message, type: 'value_error' })),
  )
}
