import { nameKey } from '../memory-text.js'
import type { TimeReference } from '../time-reference.js'
import { mentionsTime } from '../mentions-time.js'
import { namedTimes } from '../time-expressions.js'
import { type FoundName, LONGEST_NAME, LONGEST_NAME_WORDS } from './found-name.js'
import { identifierIn, numberedNames, quotedTerms } from './identifiers.js'
import type { Language } from '../language.js'
import { properNames } from './proper-names.js'
import { visibleName } from './visible-name.js'

/** Maximum number of names of one memory: identifiers first, then names, terms and dates. */
const MOST_NAMES = 20
const LONGEST_TOKEN = 200
/** Matches placeholders of masked personal data. */
const PLACEHOLDER = /\[[a-z_]+\]/g

/**
 * Returns the names in a text, found without a model: identifiers, proper names, quoted terms, and dates, with relative
 * ones resolved at `at` (Unix ms); no dates where that is null. Ordered by kind and then by position, each name once, no more than a memory may
 * have. Of a text in a script without capitals, the words in Latin letters between its own are read as English. Linear in
 * the text.
 */
export function namesIn(text: string, at: number | null, language: Language | null): FoundName[] {
  const read = text.replace(PLACEHOLDER, ' ')
  const found = new Map<string, FoundName>()
  for (const name of candidates(read, at, language)) {
    const key = nameKey(name.name)
    if (key === '' || key.length > LONGEST_NAME || name.name.length > LONGEST_NAME || found.has(key)) continue
    found.set(key, { ...name, name: visibleName(name.name) })
    if (found.size === MOST_NAMES) break
  }
  return [...found.values()]
}

/** Runs of letters without capitals and of their punctuation. */
const WITHOUT_CAPITALS =
  /(?:(?=[\p{Lo}\p{Lm}])\P{Script=Latin}\p{M}*|[\u3000-\u3004\u3007-\u3030\u3036-\u303a\u303d-\u303f\uff00-\uff0f\uff1a-\uff20\u060c\u061b\u061f\u0964])+/gu
const HAS_SUCH = /(?=[\p{Lo}\p{Lm}])\P{Script=Latin}/u

function* candidates(text: string, at: number | null, language: Language | null): Generator<FoundName> {
  const cased = HAS_SUCH.test(text) ? text.replace(WITHOUT_CAPITALS, '\n') : text
  for (const [token] of cased.matchAll(/\S+/gu)) {
    const identifier = token.length > LONGEST_TOKEN ? null : identifierIn(token, language)
    if (identifier) yield identifier
  }
  yield* numberedNames(cased)
  yield* properNames(cased, language)
  yield* quotedTerms(text, LONGEST_NAME_WORDS)
  if (at !== null && mentionsTime(text, language))
    for (const time of namedTimes(text, at, language)) {
      const name = dateName(time)
      if (name !== null) yield { name, type: 'date' }
    }
}

/** Returns the name of a day or a month of a year; null for what is less, or more, exact. */
export function dateName(time: TimeReference): string | null {
  if (time.kind !== 'date' || time.year === null || time.month === null) return null
  const parts = time.day === null ? [time.year, time.month] : [time.year, time.month, time.day]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}
