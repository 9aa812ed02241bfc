import { dateOf } from '../../http/pages.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import type { Clock } from '../../runtime/clock.js'

/** Parses `known_at`. Throws InvalidArgumentsError for a moment that is yet to come: what is stored then nobody knows. */
export function momentOf(knownAt: string | undefined, clock: Clock): Date | undefined {
  const moment = dateOf(knownAt)
  if (moment && moment.getTime() > clock.now())
    throw InvalidArgumentsError.at(['known_at'], 'Must not be in the future.', 'value_error', knownAt)
  return moment
}
