import type { TimeReference } from '../text/time-words.js'
import type { AnalysedText } from './candidate.js'

/**
 * How well a memory's time agrees with what the query names: 1 when it does in all, 1.5 down to the day, .5 when only the day
 * is another; the best of several references.
 */
export function dateAgreement(times: readonly TimeReference[], text: AnalysedText): number {
  return times.reduce((best, time) => Math.max(best, agreement(time, text)), 0)
}

function agreement(time: TimeReference, { at, until }: AnalysedText): number {
  if (time.kind === 'span') return at < time.end && (until ?? at) >= time.start ? 1 : 0
  const { year, month, day } = time
  if (until !== null && year !== null) return overlaps(time, at, until) ? (day === null ? 1 : 1.5) : 0
  const date = new Date(at)
  if (year !== null && year !== date.getUTCFullYear()) return 0
  if (month !== null && month !== date.getUTCMonth() + 1) return 0
  if (day === null) return 1
  return day === date.getUTCDate() ? 1.5 : 0.5
}

/** A validity that has an end holds every instant up to it. */
function overlaps({ year, month, day }: Exclude<TimeReference, { kind: 'span' }>, at: number, until: number): boolean {
  const first = Date.UTC(year!, (month ?? 1) - 1, day ?? 1)
  const end =
    day !== null
      ? Date.UTC(year!, month! - 1, day + 1)
      : month !== null
        ? Date.UTC(year!, month, 1)
        : Date.UTC(year! + 1, 0, 1)
  return at < end && until > first
}
