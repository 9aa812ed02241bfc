import { type Pausing, withoutPauses } from '../pauses.js'
import { findEmails, findPhones } from './contacts.js'
import { type Checks, newChecks, PERSONAL_DATA_KINDS, type PersonalDataSpan } from './finding.js'
import { findCards, findIbans, findNationalIds } from './numbers.js'
import { findSecrets } from './secrets.js'

/**
 * Personal data and secrets in a text, by where they stand; no two overlap. Shapes are found by patterns whose time is linear in the
 * text, and checked by libraries where there is something to check: numbering plans, check digits, lengths. Names of people are
 * none of it. `checks` are shared by the texts of a memory.
 */
export function findPersonalData(text: string, checks: Checks = newChecks()): PersonalDataSpan[] {
  return withoutPauses(lookForPersonalData(text, checks))
}

/** The same with pauses between patterns and candidates: a text of 256 KiB takes up to a third of a second. */
export function* lookForPersonalData(text: string, checks: Checks): Pausing<PersonalDataSpan[]> {
  const finders = [
    findSecrets(text),
    findIbans(text, checks.iban),
    findCards(text, checks.card),
    findNationalIds(text, checks.nationalId),
    findEmails(text),
    findPhones(text, checks.phone),
  ]
  const found: PersonalDataSpan[] = []
  for (const finder of finders) {
    for (const span of finder) {
      if (span) found.push(span)
      yield
    }
    yield
  }
  if (found.length < 2) return found
  // The more telling kind takes the place: a password in a URL, not the address that it makes with the host.
  found.sort((a, b) => PRECEDENCE.get(a.kind)! - PRECEDENCE.get(b.kind)! || a.start - b.start || b.end - a.end)
  const taken = new Uint8Array(text.length)
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
