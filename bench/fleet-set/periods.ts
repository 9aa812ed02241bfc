import { DAY } from './scribe.js'

/** Words about time as they are meant on the set's day, a Tuesday: `from` included, `to` not; Unix milliseconds. */
export interface Period {
  readonly words: string
  readonly from: number
  readonly to: number
}

function days(words: string, first: string, count = 1): Period {
  const from = Date.parse(`${first}T00:00:00Z`)
  return { words, from, to: from + count * DAY }
}

/** Periods of a day or two. */
export const DAYS: readonly Period[] = [
  days('last Thursday', '2026-06-11'),
  days('yesterday', '2026-06-15'),
  days('three days ago', '2026-06-13'),
  days('on Friday', '2026-06-12'),
  days('over the last weekend', '2026-06-13', 2),
  days('ten days ago', '2026-06-06'),
  days('on 12 February', '2026-02-12'),
  days('on the 9th of April', '2026-04-09'),
  days('on 2026-03-24', '2026-03-24'),
  days('on December 3', '2025-12-03'),
  days('on 18/11/2025', '2025-11-18'),
  days('on the last day of March', '2026-03-31'),
]

/** Periods of a week to a month. */
export const WEEKS: readonly Period[] = [
  days('last week', '2026-06-08', 7),
  days('two weeks ago', '2026-06-01', 7),
  days('in the week of 9 March', '2026-03-09', 7),
  days('at the end of April', '2026-04-24', 7),
  days('in the first days of May', '2026-05-01', 7),
  days('between 2 and 6 February', '2026-02-02', 5),
  days('in calendar week 12 of this year', '2026-03-16', 7),
]

export const MONTHS: readonly Period[] = [
  days('in March', '2026-03-01', 31),
  days('last month', '2026-05-01', 31),
  days('in January', '2026-01-01', 31),
  days('in October 2025', '2025-10-01', 31),
  days('three months ago', '2026-03-01', 31),
  days('in mid-November', '2025-11-10', 12),
  days('last August', '2025-08-01', 31),
]
