import type { DraftFault } from '../../domain/memory-draft.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'

/** Returns the error for a draft that is at `path` in the operation's input; null when it has no faults. */
export function refusalOf(faults: readonly DraftFault[], path: readonly string[] = []): InvalidArgumentsError | null {
  if (faults.length === 0) return null
  return new InvalidArgumentsError(
    faults.map(({ field, message }) => ({ path: [...path, field], msg: message, type: 'value_error' })),
  )
}
