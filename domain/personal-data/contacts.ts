import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { type CheckFew, type Finder, hasDigits, type PersonalDataSpan } from './finding.js'

/** Every part is bounded, and a local part begins where no character of one stands before it: linear in the text. */
const EMAIL =
  /(?<![\p{L}\p{N}_.+%-])[\p{L}\p{N}_.+%-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}_-])/gu
/** `lodash@4.17.21-rc.one`, `icon@2x.png`, `git@github.com:org/repository`. */
const NO_ADDRESS = /@\d+(?:\.\d|x\.)|^git@/

export function* findEmails(text: string): Finder {
  if (!text.includes('@')) return
  for (const { 0: address, index } of text.matchAll(EMAIL))
    yield NO_ADDRESS.test(address) ? undefined : { kind: 'email', start: index, end: index + address.length }
}

/** With a country: "+49 170 1234567", "+1 (415) 555-2671". */
const INTERNATIONAL = /(?<![\p{L}\p{N}_+])\+\d[\d ().\/-]{6,24}/gu
/** As North America writes them: "(415) 555-2671", "415-555-2671", "415.555.2671". */
const NORTH_AMERICAN = /(?<![\p{L}\p{N}_.+/-])(?:\(\d{3}\) ?|\d{3}([-.]))\d{3}[-.]\d{4}(?![\p{L}\p{N}_]|[-.]\d)/gu
/** Any other only after a word that says what it is. */
const LABELLED =
  /\b(?:tele)?(?:phone|fon|fax|mobile|mobil|cell|handy|tel|call|whatsapp|dial)(?: ?(?:number|nummer|no\.?|nr\.?|me at|her at|him at|us at|them at|at|on|is)){0,3}[ .:=]{0,3}(?=[\d(])([\d ().\/-]{7,24})/giu

const FEWEST_DIGITS = 7

export function* findPhones(text: string, checked: CheckFew): Finder {
  if (!hasDigits(text, FEWEST_DIGITS)) return
  for (const { 0: candidate, index } of text.matchAll(INTERNATIONAL)) {
    const number = longestNumber(candidate, checked)
    yield number ? phoneAt(index, number) : undefined
  }
  yield
  for (const { 0: candidate, index } of text.matchAll(NORTH_AMERICAN))
    yield checked(() => isNumber(candidate, 'US')) ? phoneAt(index, candidate) : undefined
  yield
  for (const { 0: all, 1: candidate, index } of text.matchAll(LABELLED)) {
    const number = trimmed(candidate!)
    yield looksDialled(number) ? phoneAt(index + all.length - candidate!.length, number) : undefined
  }
}

function phoneAt(start: number, found: string): PersonalDataSpan {
  return { kind: 'phone', start, end: start + found.length }
}

/** The candidate without the groups at its end that belong to something else: "+1 415 555 2671 2026". */
function longestNumber(candidate: string, checked: CheckFew): string | null {
  for (let number = trimmed(candidate); digitsOf(number) >= FEWEST_DIGITS; number = withoutLastGroup(number))
    if (checked(() => isNumber(number))) return number
  return null
}

function withoutLastGroup(number: string): string {
  return trimmed(number.replace(/\d+$/, ''))
}

/** Bounded by what a candidate is: at most 26 characters. */
function trimmed(candidate: string): string {
  return candidate.replace(/[^\d]+$/, '')
}

function isNumber(text: string, country?: 'US'): boolean {
  return parsePhoneNumberFromString(text, country)?.isValid() ?? false
}

/** Seven to fifteen digits, and no date: "call 2026-05-13". */
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
