import { createHash } from 'node:crypto'
import type { Yielding } from '../yielding.js'
import { analyse, analyseInSteps, type TextTerms } from './analysis.js'
import calendar from './english-calendar.json' with { type: 'json' }
import { normaliseUnicode } from './characters.js'
import type { Language } from './language.js'
import { DAY_MS, dayOf, extentOf, type Span, type TimeReference } from './time-reference.js'
import { instantOf, type TimeZone, UTC } from './time-zone.js'
import { wordsIn } from './words.js'

interface TitledText {
  readonly title: string | null
  readonly content: string
}

interface IndexedMemory extends TitledText {
  readonly language: Language | null
  readonly agentId: string | null
  readonly validStart: Date | null
  readonly createdAt: Date
}

/** Returns the text that a memory is embedded as: white space at the ends of its content says nothing. */
export function embeddedText({ title, content }: TitledText): string {
  const text = content.trim()
  return title === null ? text : `${title}\n${text}`
}

/** Returns the terms that a keyword search finds a memory by: its text, its author, and the date that it is about. */
export function* indexedTerms(memory: IndexedMemory): Yielding<TextTerms> {
  const { terms, words } = yield* analyseInSteps(embeddedText(memory), memory.language)
  const beside = [
    ...(memory.agentId === null ? [] : analyse(memory.agentId, 'en')),
    ...dateTerms(memory.validStart ?? memory.createdAt),
  ]
  terms.push(...beside)
  return { terms, words: words + beside.length }
}

const MONTHS = calendar.months.split(' ')

/** Returns "8 May 2023" of a date, in UTC, as the terms that a question would contain. */
export function dateTerms(date: Date): string[] {
  return analyse(dateWords(date).join(' '), 'en')
}

export function dateWords(date: Date): readonly string[] {
  return [`${date.getUTCDate()}`, MONTHS[date.getUTCMonth()]!, `${date.getUTCFullYear()}`]
}

/** Longer spans are described by their months; spans of too many months not at all. */
const MOST_DAYS = 7
const MOST_MONTHS = 3

/**
 * Returns the terms (`dateTerms`) that find memories of the times that a query refers to, however the query words them. Times and `now`
 * are wall times of `zone`; a day there belongs to two in UTC, whose dates the memories are indexed with.
 */
export function timeTerms(times: readonly TimeReference[], now: number, zone: TimeZone = UTC): string[] {
  return [...new Set(times.flatMap((time) => extentTerms(extentOf(time, now), zone)))]
}

function extentTerms(extent: Span | null, zone: TimeZone): string[] {
  if (extent === null || !Number.isFinite(extent.end - extent.start)) return []
  const days = (extent.end - extent.start) / DAY_MS
  if (days <= MOST_DAYS)
    return daysBetween(instantOf(extent.start, zone), instantOf(extent.end, zone)).flatMap(dateTerms)
  const months = monthsBetween(extent)
  return months.length > MOST_MONTHS ? [] : months.flatMap((month) => analyse(month, 'en'))
}

/** Returns the days in UTC from an instant to another, which does not belong to them. */
function daysBetween(start: number, end: number): Date[] {
  const first = dayOf(start)
  return Array.from({ length: Math.ceil((end - first) / DAY_MS) }, (_, i) => new Date(first + i * DAY_MS))
}

/** Returns "May 2023" of each month that a span touches. */
function monthsBetween({ start, end }: Span): string[] {
  const months: string[] = []
  const first = new Date(start)
  for (let month = 0; months.length <= MOST_MONTHS; month++) {
    const at = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month))
    if (at.getTime() >= end) break
    months.push(`${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`)
  }
  return months
}

/**
 * Returns the text that duplicates share: NFC, without what nobody sees at the ends of lines and of the text. Everything
 * else makes another memory: `-d` and `-D`, or code that is indented otherwise, say different things.
 */
export function duplicateForm(content: string): string {
  const lines = normaliseUnicode(content, 'NFC').split(LINE_END)
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
}

const LINE_END = /\r\n|[\r\n\u2028\u2029]/

/**
 * Returns a text without what its spelling may differ in: compatibility forms, case, white space and format characters.
 * Punctuation and word order stay.
 */
export function normalisedText(content: string): string {
  return normaliseUnicode(content.replace(/\p{Cf}+/gu, ''), 'NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}

/**
 * Returns equal keys for texts that are duplicates of one another and have the same title. A key is 128 bits of a SHA-256, as 16 characters of
 * one byte: nobody can write a text that takes another's place.
 */
export function textKey({ title, content }: TitledText): string {
  const text = title === null ? content : `${title}\n${content}`
  return createHash('sha256').update(duplicateForm(text)).digest().toString('latin1', 0, 16)
}

/** Returns whether texts have the same words in the same order, ignoring case and punctuation; false without words. */
export function haveSameWords(a: string, b: string): boolean {
  const [ofA, ofB] = [a, b].map((text) => wordsIn(normaliseUnicode(text, 'NFKC').toLowerCase()).join(' '))
  return ofA !== '' && ofA === ofB
}

/** Returns the key of an entity's name, which is equal for two spellings of the same entity. */
export function nameKey(name: string): string {
  return normalisedText(name)
}
