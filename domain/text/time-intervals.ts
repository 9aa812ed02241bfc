import { instantOf, type TimeZone, wallTimeOf } from './time-zone.js'

export type IntervalLength = 'hour' | 'day' | 'week'

/** Intervals that one answer has at most. */
export const MOST_INTERVALS = 1_000

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** Unix milliseconds of a Monday. */
const A_MONDAY = 4 * DAY_MS

/**
 * Returns the bounds of successive intervals in Unix milliseconds: the first interval has `from` in it, and the last one the moment before `to`. Days and weeks, which begin on
 * Monday, are those of the zone, and are longer or shorter where its clocks change. Returns null if they are more than `MOST_INTERVALS`.
 */
export function intervalBounds(
  { from, to }: { readonly from: number; readonly to: number },
  length: IntervalLength,
  zone: TimeZone,
): number[] | null {
  const wallFrom = wallTimeOf(from, zone)
  const wallStart = floorTo(wallFrom, length)
  // Clocks may show an hour twice.
  const startOf = (n: number) =>
    length === 'hour' ? from - (wallFrom - wallStart) + n * HOUR_MS : instantOf(wallStart + n * LENGTHS[length], zone)
  const bounds = [startOf(0)]
  do {
    if (bounds.length > MOST_INTERVALS) return null
    bounds.push(startOf(bounds.length))
  } while (bounds.at(-1)! < to)
  return bounds
}

const LENGTHS = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS } as const

function floorTo(wall: number, length: IntervalLength): number {
  const origin = length === 'week' ? A_MONDAY : 0
  return origin + Math.floor((wall - origin) / LENGTHS[length]) * LENGTHS[length]
}
