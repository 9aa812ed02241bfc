import { DAY_MS, type TimeReference } from '../text/time-reference.js'
import type { Language } from '../text/language.js'
import { timeReferences } from '../text/time-expressions.js'
import { containsPhrase } from './grounding.js'

/**
 * A phrase of the text that, according to a model, says when a memory is valid: the time of an event, a start or an
 * end.
 */
export interface TimePhrase {
  readonly phrase: string
  readonly relation: 'on' | 'from' | 'until'
}

/** The interval in which a memory is valid; null is an open end. */
export interface Validity {
  readonly start: Date | null
  readonly end: Date | null
}

/** Length in UTF-16 units: more than any phrase about one time needs. */
const LONGEST_PHRASE = 80

/**
 * Returns the validity that phrases of the text state. Dates are computed here and never taken from the model. A phrase
 * is ignored when it is not in the text or refers to no time or to several; phrases that contradict one another are all
 * ignored. An event starts the validity and does not end it: what happened stays true. Relative times refer to `at`
 * (Unix ms), and are read in the language of the text.
 */
export function validityOf(
  text: string,
  stated: readonly TimePhrase[],
  at: number,
  language: Language | null,
): Validity {
  const times = stated.flatMap(({ phrase, relation }) => {
    const window =
      phrase.length <= LONGEST_PHRASE && containsPhrase(text, phrase) ? windowOf(phrase, at, language) : null
    return window ? [{ relation, ...window }] : []
  })
  const start = onlyValue(times.flatMap(({ relation, start: begin }) => (relation === 'until' ? [] : [begin])))
  const end = onlyValue(times.flatMap(({ relation, end: close }) => (relation === 'until' ? [close] : [])))
  if (start !== null && end !== null && end <= start) return { start: null, end: null }
  return { start: start === null ? null : new Date(start), end: end === null ? null : new Date(end) }
}

/**
 * Returns the time that all finite values agree on, else null: the open side of a span ("before March" has no
 * beginning) does not count.
 */
function onlyValue(times: readonly number[]): number | null {
  const stated = new Set(times.filter(Number.isFinite))
  return stated.size === 1 ? [...stated][0]! : null
}

interface Window {
  readonly start: number
  readonly end: number
}

function windowOf(phrase: string, at: number, language: Language | null): Window | null {
  const [time, ...others] = timeReferences(phrase, at, language)
  if (time === undefined || others.length > 0) return null
  // A phrase such as "31 June 2026" names no day that exists, and it does not mean the month.
  const isNoDay = time.kind === 'date' && time.day === null
  const numbers = phrase.match(/\d+/g)?.length ?? 0
  return isNoDay && numbers > (time.year === null ? 0 : 1) ? null : spanOf(time, at)
}

/** Returns the span of a time; a month or a day without a year is taken in the year in which it is nearest to `at`. */
function spanOf(time: TimeReference, at: number): Window | null {
  if (time.kind === 'span') return time
  const { year, month, day } = time
  if (year !== null) return daySpan(year, month, day)
  if (month === null) return null
  const now = new Date(at).getUTCFullYear()
  const near = [now - 1, now, now + 1].map((one) => daySpan(one, month, day)).filter((window) => window !== null)
  return near.sort((a, b) => Math.abs(a.start - at) - Math.abs(b.start - at))[0] ?? null
}

/** Returns null for a day that does not exist. */
function daySpan(year: number, month: number | null, day: number | null): Window | null {
  if (month === null) return day === null ? { start: Date.UTC(year, 0), end: Date.UTC(year + 1, 0) } : null
  if (day === null) return { start: Date.UTC(year, month - 1), end: Date.UTC(year, month) }
  const start = Date.UTC(year, month - 1, day)
  return new Date(start).getUTCDate() === day ? { start, end: start + DAY_MS } : null
}
