import { DAY_MS, extentOf, type TimeReference } from '../text/time-reference.js'
import { wallTimeOf } from '../text/time-zone.js'
import type { AnalysedQuery, AnalysedText } from './candidate.js'

/**
 * Returns how well a memory's time agrees with the times that the query names: 1 when it agrees in everything, 1.5 when
 * down to the day, .5 when only the day differs or the query's span has one open end ("since March"); the best of
 * several times. The memory's time is compared as the clocks of the query's zone show it.
 */
export function dateAgreement({ times, zone }: Pick<AnalysedQuery, 'times' | 'zone'>, text: AnalysedText): number {
  if (times.length === 0) return 0
  const at = wallTimeOf(text.at, zone)
  const until = text.until === null ? null : wallTimeOf(text.until, zone)
  return times.reduce((best, time) => Math.max(best, agreement(time, { at, until })), 0)
}

/** The memory agrees in everything that the query names. */
export const FULL_AGREEMENT = 1
const DAY_AGREEMENT = 1.5
const PARTIAL_AGREEMENT = 0.5

function agreement(time: TimeReference, { at, until }: Pick<AnalysedText, 'at' | 'until'>): number {
  if (time.kind === 'span') {
    if (at >= time.end || (until ?? at) < time.start) return 0
    if (time.end - time.start === Infinity) return PARTIAL_AGREEMENT
    return time.end - time.start <= DAY_MS ? DAY_AGREEMENT : FULL_AGREEMENT
  }
  const { year, month, day } = time
  if (until !== null) return overlaps(time, at, until) ? (day === null ? FULL_AGREEMENT : DAY_AGREEMENT) : 0
  const date = new Date(at)
  if (year !== null && year !== date.getUTCFullYear()) return 0
  if (month !== null && month !== date.getUTCMonth() + 1) return 0
  if (day === null) return FULL_AGREEMENT
  return day === date.getUTCDate() ? DAY_AGREEMENT : PARTIAL_AGREEMENT
}

/**
 * Returns whether a validity with an end overlaps the time. A time without a year counts in any year; for validities of
 * more than a year, two years cover every date.
 */
function overlaps(time: Exclude<TimeReference, { kind: 'span' }>, at: number, until: number): boolean {
  const first = new Date(at).getUTCFullYear()
  const years = time.year === null ? [first, first + 1, new Date(until).getUTCFullYear()] : [time.year]
  return years.some((year) => {
    const extent = extentOf({ ...time, year }, at)
    return extent !== null && at < extent.end && until > extent.start
  })
}
