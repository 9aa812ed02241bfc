import { DAY_MS, type TimeReference } from '../text/time-reference.js'
import { timeReferences } from '../text/time-words.js'
import { standsIn } from './grounding.js'

/** What a model takes for the words that say when a memory holds: of an event, of a beginning, or of an end. */
export interface SaidTime {
  readonly phrase: string
  readonly relation: 'on' | 'from' | 'until'
}

/** Null is open. */
export interface Validity {
  readonly start: Date | null
  readonly end: Date | null
}

/** In UTF-16 units: more than any words about one time. */
const LONGEST_PHRASE = 80

/**
 * The validity that phrases of the text say, computed here and never taken from the model: a phrase that is not in the text, or that points
 * to no time or to several, says nothing; two that say different things say nothing either. An event begins the validity and does not
 * end it: what happened stays true. `at` (Unix ms) is what the phrases are seen from.
 */
export function validityOf(text: string, said: readonly SaidTime[], at: number): Validity {
  const times = said.flatMap(({ phrase, relation }) => {
    const window = phrase.length <= LONGEST_PHRASE && standsIn(text, phrase) ? windowOf(phrase, at) : null
    return window ? [{ relation, ...window }] : []
  })
  const start = only(times.flatMap(({ relation, start: begin }) => (relation === 'until' ? [] : [begin])))
  const end = only(times.flatMap(({ relation, end: close }) => (relation === 'until' ? [close] : [])))
  if (start !== null && end !== null && end <= start) return { start: null, end: null }
  return { start: start === null ? null : new Date(start), end: end === null ? null : new Date(end) }
}

/** The side of a span that is open ("before March" has no beginning) says nothing. */
function only(times: readonly number[]): number | null {
  const said = new Set(times.filter(Number.isFinite))
  return said.size === 1 ? [...said][0]! : null
}

interface Window {
  readonly start: number
  readonly end: number
}

function windowOf(phrase: string, at: number): Window | null {
  const [time, ...others] = timeReferences(phrase, at)
  if (time === undefined || others.length > 0) return null
  // "31 June 2026": what could not be read as a day is no year either.
  const isYear = time.kind === 'date' && time.month === null
  return isYear && (phrase.match(/\d+/g)?.length ?? 0) > 1 ? null : spanOf(time, at)
}

/** A month or a day without its year is that of the year in which it lies nearest. */
function spanOf(time: TimeReference, at: number): Window | null {
  if (time.kind === 'span') return time
  const { year, month, day } = time
  if (year !== null) return daySpan(year, month, day)
  if (month === null) return null
  const now = new Date(at).getUTCFullYear()
  const near = [now - 1, now, now + 1].map((one) => daySpan(one, month, day)).filter((window) => window !== null)
  return near.sort((a, b) => Math.abs(a.start - at) - Math.abs(b.start - at))[0] ?? null
}

/** Null for a day that the calendar does not have. */
function daySpan(year: number, month: number | null, day: number | null): Window | null {
  if (month === null) return day === null ? { start: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) } : null
  if (day === null) return { start: Date.UTC(year, month - 1), end: Date.UTC(year, month) }
  const start = Date.UTC(year, month - 1, day)
  return new Date(start).getUTCDate() === day ? { start, end: start + DAY_MS } : null
}
