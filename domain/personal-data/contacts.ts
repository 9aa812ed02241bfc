import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { type BudgetedCheck, type Finder, hasDigits, type PersonalDataSpan } from './finding.js'
import { isNamedOtherwise, PHONE_LABELS } from './labels.js'
import { anyOf, LETTER, UNDELIMITED_SCRIPTS, WORD } from './words.js'

/**
 * Matches the part of an address before its `@`. It must be in one kind of script, so that the sentence around it is
 * not taken for a part of it.
 */
const LOCAL_PART = String.raw`(?<![${WORD}.+%\-])(?:[${WORD}.+%\-]|(?<=${LETTER})'(?=${LETTER})){1,64}|(?<![${UNDELIMITED_SCRIPTS}])[${UNDELIMITED_SCRIPTS}\p{N}]{1,64}`
const DOMAIN_LABEL = String.raw`[\p{L}\p{N}\-]{1,63}`
const TOP_LEVEL = String.raw`(?:xn--[a-z0-9\-]{2,59}|${LETTER}{2,24}|[${UNDELIMITED_SCRIPTS}]{2,24}(?![${UNDELIMITED_SCRIPTS}]))(?!${WORD})`
/**
 * Linear in the text, because every part is bounded and a local part only begins where no local-part character precedes
 * it.
 */
const EMAIL = new RegExp(
  `(?:${LOCAL_PART})@(?:(?:${DOMAIN_LABEL}\\.){1,8}${TOP_LEVEL}|(?:${DOMAIN_LABEL}[\\u3002\\uff61]){1,8}${TOP_LEVEL})`,
  'giv',
)
/** Matches what only looks like an address: `lodash@4.17.21-rc.one`, `icon@2x.png`, `git@github.com:org/repository`. */
const NOT_AN_ADDRESS = /@\d+(?:\.\d|x\.)|^git@/

export function* findEmails(text: string): Finder {
  if (!text.includes('@')) return
  for (const { 0: address, index } of text.matchAll(EMAIL))
    yield NOT_AN_ADDRESS.test(address) ? undefined : { kind: 'email', start: index, end: index + address.length }
}

/** Matches numbers with a country: "+49 170 1234567", "+1 (415) 555-2671", "0049 170 1234567". */
const INTERNATIONAL = new RegExp(
  String.raw`(?<!${WORD}|[+.\/])(?:\+|\(\+(?=\d{1,3}\))|00(?=[1-9]\d{0,2}[ .\-\/\(]))\d[\d \(\).\/\-]{6,24}`,
  'gv',
)
/** Matches North American numbers: "(415) 555-2671", "415-555-2671", "415.555.2671". */
const NORTH_AMERICAN = new RegExp(
  String.raw`(?<!${WORD}|[.+\/\-])(?:1[\-. ])?(?:\(\d{3}\) ?\d{3}[\-. ]|\d{3}([\-.])\d{3}[\-.])\d{4}(?!${WORD}|[\-.]\d)`,
  'gv',
)
const NUMBER_IS = anyOf(`
  number, nummer, no\\.?, nr\\.?, n[o°]\\.?, num, número, numéro, numero, номер, رقم, me at, her at, him at, us at, them at,
  me on, at, on, is, ist, lautet, unter, est, au, es, al, e, jest, är, ar, er, है, 番号, 号码, 號碼, 号, 번호, 是, 为, 為, は, 는, 은
`)
/** Matches other numbers, but only after a word that labels them as phone numbers. */
const LABELLED_PHONE = new RegExp(
  String.raw`${PHONE_LABELS}(?: ?${NUMBER_IS}){0,3}["']?[ .:=]{0,3}["']?(?=[\d\(])([\d \(\).\/\-]{7,24})`,
  'giv',
)

const FEWEST_DIGITS = 7

export function* findPhones(text: string, check: BudgetedCheck): Finder {
  if (!hasDigits(text, FEWEST_DIGITS)) return
  for (const { 0: candidate, index } of text.matchAll(INTERNATIONAL)) {
    const number = COORDINATES.test(text.slice(index, index + 40)) ? null : longestNumber(candidate, check)
    yield number ? phoneAt(index, number) : undefined
  }
  yield
  for (const { 0: candidate, index } of text.matchAll(NORTH_AMERICAN)) {
    const isPhone = check(() => isNumber(candidate, 'US') && !isNamedOtherwise(text, index))
    yield isPhone ? phoneAt(index, candidate) : undefined
  }
  yield
  for (const { 0: all, 1: candidate, index } of text.matchAll(LABELLED_PHONE)) {
    const number = trimEnd(candidate!)
    yield looksDialled(number) ? phoneAt(index + all.length - candidate!.length, number) : undefined
  }
}

/** Matches coordinates: "+48.858370, +2.294481". */
const COORDINATES = /^\+\d{1,3}\.\d{3,}[ ,;\/]*[+-]?\d{1,3}\.\d{3}/

function phoneAt(start: number, found: string): PersonalDataSpan {
  return { kind: 'phone', start, end: start + found.length }
}

/** Returns the candidate without trailing groups that belong to something else: "+1 415 555 2671 2026". */
function longestNumber(candidate: string, check: BudgetedCheck): string | null {
  for (let number = trimEnd(candidate); digitsOf(number) >= FEWEST_DIGITS; number = withoutLastGroup(number))
    if (check(() => isNumber(internationalForm(number)))) return number
  return null
}

/** Formats a number as numbering plans do: with a plus, and without a `(0)` that is only dialled within the country. */
function internationalForm(number: string): string {
  return number.replace(/^\(\+|^00/, '+').replace(/\(0\)/, ' ')
}

function withoutLastGroup(number: string): string {
  return trimEnd(number.replace(/\d+$/, ''))
}

/** Bounded by the length of a candidate: at most 26 characters. */
function trimEnd(candidate: string): string {
  return candidate.replace(/[^\d]+$/, '')
}

function isNumber(text: string, country?: 'US'): boolean {
  return parsePhoneNumberFromString(text, country)?.isValid() ?? false
}

/** Returns whether the text has seven to fifteen digits and is not a date: "call 2026-05-13". */
function looksDialled(number: string): boolean {
  const digits = digitsOf(number)
  return (
    digits >= FEWEST_DIGITS &&
    digits <= 15 &&
    !/^(?:\d{4}([-./ ])\d{1,2}\1\d{1,2}|\d{1,2}([-./ ])\d{1,2}\2\d{4})\b/.test(number)
  )
}

function digitsOf(text: string): number {
  return text.replace(/\D/g, '').length
}
