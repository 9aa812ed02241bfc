import { DAY } from './scribe.js'
import { periods } from './time-texts.js'

/** Words about time as they are meant on the set's day, a Tuesday: `from` included, `to` not; Unix milliseconds. */
export interface Period {
  readonly words: string
  readonly from: number
  readonly to: number
}

/** Periods of a day or two. */
export const DAYS = periods.days.map(periodOf)
/** Periods of a week or so. */
export const WEEKS = periods.weeks.map(periodOf)
/** Periods of about a month. */
export const MONTHS = periods.months.map(periodOf)

function periodOf({ words, from: first, days = 1 }: (typeof periods.days)[number]): Period {
  const from = Date.parse(`${first}T00:00:00Z`)
  return { words, from, to: from + days * DAY }
}
