import { type Pausing, withoutPauses } from '../pauses.js'
import { findEmails, findPhones } from './contacts.js'
import { type Checks, type Finder, newChecks, PERSONAL_DATA_KINDS, type PersonalDataSpan } from './finding.js'
import { fold } from './fold.js'
import { findCards, findIbans, findNationalIds } from './numbers.js'
import { percentDecoded } from './percent-decoded.js'
import { findSecrets } from './secrets.js'
import { folded } from './words.js'

/**
 * Personal data and secrets in a text as a person reads it (`fold`), by where they stand in the text itself; no two overlap. Shapes are found by
 * patterns whose time is linear in the text, and checked by libraries where there is something to check: numbering plans, check digits,
 * lengths. Names of people are none of it. `checks` are shared by the texts of a memory.
 */
export function findPersonalData(text: string, checks: Checks = newChecks()): PersonalDataSpan[] {
  return withoutPauses(lookForPersonalData(text, checks))
}

/**
 * Finds the same, with pauses between patterns and candidates: a text of 256 KiB takes up to a third of a second. `label` says what the text is, as
 * `labelOf` makes it of the key that it stands under.
 */
export function* lookForPersonalData(text: string, checks: Checks, label = ''): Pausing<PersonalDataSpan[]> {
  const read = yield* fold(text)
  const numbers = label + read.text
  const found = [
    ...(yield* gather([findSecrets(read.text), findIbans(read.text, checks.iban), findEmails(read.text)])),
    ...(yield* gather(
      [findCards(numbers, checks.card), findNationalIds(numbers, checks.nationalId), findPhones(numbers, checks.phone)],
      label.length,
    )),
  ]
  return apart(found, read.text.length).map(({ kind, start, end }) => ({ kind, ...read.place(start, end) }))
}

/** Returns how a key reads before a number that stands under it. Made once for a key, which may have thousands of values. */
export function labelOf(key: string): string {
  return key === '' ? '' : `${folded(endOf(key).replace(CAMEL_HUMP, '$1 '))}: `
}

/** The last characters of a key, which may be as long as a document: what it means stands at its end. */
export function endOf(key: string): string {
  return key.slice(-LONGEST_LABEL)
}

const LONGEST_LABEL = 60
const CAMEL_HUMP = /([a-z])(?=[A-Z])/g

/**
 * Secrets, addresses and accounts in a name such as a `doc_id` or a key: in plain, and as a URL writes it. A name has no room for words that say
 * what a number is, and the numbers of orders look like those of cards and phones: they are not looked for.
 */
export function* lookInName(name: string, checks: Checks): Pausing<PersonalDataSpan[]> {
  const plain = percentDecoded(name)
  const { text } = yield* fold(plain)
  const parts = plain === name ? [text] : [text, (yield* fold(name)).text]
  for (const part of parts) {
    const found = apart(yield* gather([findSecrets(part), findIbans(part, checks.iban), findEmails(part)]), part.length)
    if (found.length > 0) return found
  }
  return []
}

/** Drives the finders, with a pause after each candidate; places are counted from `from`, and what begins before it is left out. */
function* gather(finders: readonly Finder[], from = 0): Pausing<PersonalDataSpan[]> {
  const found: PersonalDataSpan[] = []
  for (const finder of finders) {
    for (const span of finder) {
      if (span && span.start >= from) found.push({ ...span, start: span.start - from, end: span.end - from })
      yield
    }
    yield
  }
  return found
}

/** In order, and without what overlaps: the more telling kind takes the place, a password in a URL and not the address that it makes with the host. */
function apart(found: PersonalDataSpan[], length: number): PersonalDataSpan[] {
  if (found.length < 2) return found
  found.sort((a, b) => PRECEDENCE.get(a.kind)! - PRECEDENCE.get(b.kind)! || a.start - b.start || b.end - a.end)
  const taken = new Uint8Array(length)
  return found
    .filter(({ start, end }) => {
      if (taken.subarray(start, end).includes(1)) return false
      taken.fill(1, start, end)
      return true
    })
    .sort((a, b) => a.start - b.start)
}

const PRECEDENCE = new Map(PERSONAL_DATA_KINDS.map((kind, position) => [kind, position]))

/** The text with `[email]`, `[phone]` and so on in the places. */
export function maskSpans(text: string, spans: readonly PersonalDataSpan[]): string {
  let masked = ''
  let from = 0
  for (const { kind, start, end } of spans) {
    masked += `${text.slice(from, start)}[${kind}]`
    from = end
  }
  return masked + text.slice(from)
}
