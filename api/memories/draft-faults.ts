import type { DraftFault } from '../../domain/memory-draft.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'

/** Returns the error for a draft that is at `loc` in the request; null when it has no faults. */
export function refusalOf(faults: readonly DraftFault[], loc: readonly string[]): InvalidArgumentsError | null {
  if (faults.length === 0) return null
  return new InvalidArgumentsError(
    faults.map(({ field, message }) => ({ loc: [...loc, field], msg: message, type: 'value_error' })),
  )
}
