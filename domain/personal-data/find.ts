import { type Yielding, runToEnd } from '../yielding.js'
import { findEmails, findPhones } from './contacts.js'
import { type Checks, type Finder, createChecks, PERSONAL_DATA_KINDS, type PersonalDataSpan } from './finding.js'
import { normalise } from './normalise.js'
import { findCards, findIbans, findNationalIds } from './numbers.js'
import { decodePercent } from './decode-percent.js'
import { findSecrets } from './secrets.js'
import { normalised } from './words.js'

/**
 * Returns the personal data and secrets in a text, read as a person reads it (`normalise`), with their positions in the
 * original; no two overlap. Patterns that are linear in the text find the shapes, and libraries verify them where there
 * is something to verify: numbering plans, check digits, lengths. Names of people are not found. The texts of a memory
 * share `checks`.
 */
export function findPersonalData(text: string, checks: Checks = createChecks()): PersonalDataSpan[] {
  return runToEnd(scanPersonalData(text, checks))
}

/**
 * Finds the same, yielding between patterns and candidates: a text of 256 KiB takes up to a third of a second. `label`
 * says what the text is, as `labelOf` derives it from the text's key.
 */
export function* scanPersonalData(text: string, checks: Checks, label = ''): Yielding<PersonalDataSpan[]> {
  const read = yield* normalise(text)
  const numbers = label + read.text
  const found = [
    ...(yield* collectSpans([findSecrets(read.text), findIbans(read.text, checks.iban), findEmails(read.text)])),
    ...(yield* collectSpans(
      [findCards(numbers, checks.card), findNationalIds(numbers, checks.nationalId), findPhones(numbers, checks.phone)],
      label.length,
    )),
  ]
  return dropOverlaps(found, read.text.length).map(({ kind, start, end }) => ({
    kind,
    ...read.originalSpan(start, end),
  }))
}

/** Returns a key as a label before its value. Computed once per key, which may have thousands of values. */
export function labelOf(key: string): string {
  return key === '' ? '' : `${normalised(tailOf(key).replace(CAMEL_HUMP, '$1 '))}: `
}

/** Returns the last characters of a key, which may be as long as a document: its meaning is at its end. */
export function tailOf(key: string): string {
  return key.slice(-LONGEST_LABEL)
}

const LONGEST_LABEL = 60
const CAMEL_HUMP = /([a-z])(?=[A-Z])/g

/**
 * Finds secrets, addresses and accounts in a name such as a `doc_id` or a key, both as written and percent-decoded.
 * Cards and phone numbers are not looked for: a name has no words that label a number, and order numbers look alike.
 */
export function* scanName(name: string, checks: Checks): Yielding<PersonalDataSpan[]> {
  const plain = decodePercent(name)
  const { text } = yield* normalise(plain)
  const parts = plain === name ? [text] : [text, (yield* normalise(name)).text]
  for (const part of parts) {
    const found = dropOverlaps(
      yield* collectSpans([findSecrets(part), findIbans(part, checks.iban), findEmails(part)]),
      part.length,
    )
    if (found.length > 0) return found
  }
  return []
}

/**
 * Runs the finders and yields after each candidate. Positions are counted from `from`; spans that begin before it are
 * dropped.
 */
function* collectSpans(finders: readonly Finder[], from = 0): Yielding<PersonalDataSpan[]> {
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

/**
 * Sorts the spans and drops overlapping ones. The more specific kind wins: a password in a URL, not the e-mail address
 * that it forms with the host.
 */
function dropOverlaps(found: PersonalDataSpan[], length: number): PersonalDataSpan[] {
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

/** Replaces the spans with `[email]`, `[phone]` and so on. */
export function maskSpans(text: string, spans: readonly PersonalDataSpan[]): string {
  let masked = ''
  let from = 0
  for (const { kind, start, end } of spans) {
    masked += `${text.slice(from, start)}[${kind}]`
    from = end
  }
  return masked + text.slice(from)
}
