import { InvalidRequestError } from '../../http/errors.js'
import { parseInstant } from '../../domain/instant.js'
import { type IntervalLength, intervalBounds, MOST_INTERVALS } from '../../domain/text/time-intervals.js'
import { namedZone, UTC } from '../../domain/text/time-zone.js'

interface IntervalQuery {
  readonly interval: IntervalLength
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly timezone?: string | undefined
}

const DAY_MS = 86_400_000
/** Moments that the contract's timestamps can show. */
const [FIRST_SHOWN, LAST_SHOWN] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')]
/** The intervals go so far back if the caller does not say. */
const USUAL_SPAN_MS = { hour: DAY_MS, day: 30 * DAY_MS, week: 26 * 7 * DAY_MS } as const

/** Returns the bounds of the intervals that a query asks for, in Unix milliseconds. Throws 422 if they end before they begin, or are too many. */
export function readIntervals(query: IntervalQuery, now: number): readonly number[] {
  const to = query.to === undefined ? now : parseInstant(query.to)!
  const from = query.from === undefined ? to - USUAL_SPAN_MS[query.interval] : parseInstant(query.from)!
  if (from >= to) throw InvalidRequestError.at(['query', 'from'], 'Must be before `to`.')
  const zone = query.timezone === undefined ? UTC : namedZone(query.timezone)!
  const bounds = intervalBounds({ from, to }, query.interval, zone)
  if (bounds === null) {
    const tooMany = `At most ${MOST_INTERVALS} intervals: ask for longer ones, or for a shorter time.`
    throw InvalidRequestError.at(['query', 'interval'], tooMany)
  }
  if (bounds[0]! < FIRST_SHOWN || bounds.at(-1)! > LAST_SHOWN)
    throw InvalidRequestError.at(['query', 'from'], 'Must be in the years 1 to 9999.')
  return bounds
}

/** Returns the moments of an answer in the contract's form. */
export function presentSpan(bounds: readonly number[]): { readonly from: string; readonly to: string } {
  return { from: isoOf(bounds[0]!), to: isoOf(bounds.at(-1)!) }
}

export function isoOf(instant: number): string {
  return new Date(instant).toISOString()
}
