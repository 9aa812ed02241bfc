import cardValidator from 'card-validator'
import { countrySpecs, isValidIBAN } from 'ibantools'
import { validate as validateNn } from 'stdnum/lib/cjs/be/nn.js'
import { validate as validateCpf } from 'stdnum/lib/cjs/br/cpf.js'
import { validate as validateSin } from 'stdnum/lib/cjs/ca/sin.js'
import { validate as validateAhv } from 'stdnum/lib/cjs/ch/ssn.js'
import { validate as validateRic } from 'stdnum/lib/cjs/cn/ric.js'
import { validate as validateIdnr } from 'stdnum/lib/cjs/de/idnr.js'
import { validate as validateDni } from 'stdnum/lib/cjs/es/dni.js'
import { validate as validateNie } from 'stdnum/lib/cjs/es/nie.js'
import { validate as validateHetu } from 'stdnum/lib/cjs/fi/hetu.js'
import { validate as validateNir } from 'stdnum/lib/cjs/fr/nir.js'
import { validate as validateNino } from 'stdnum/lib/cjs/gb/nino.js'
import { validate as validateAadhaar } from 'stdnum/lib/cjs/in/aadhaar.js'
import { validate as validateCodiceFiscale } from 'stdnum/lib/cjs/it/codicefiscale.js'
import { validate as validateRrn } from 'stdnum/lib/cjs/kr/rrn.js'
import { validate as validateCurp } from 'stdnum/lib/cjs/mx/curp.js'
import { validate as validateBsn } from 'stdnum/lib/cjs/nl/bsn.js'
import { validate as validateFodselsnummer } from 'stdnum/lib/cjs/no/fodselsnummer.js'
import { validate as validatePesel } from 'stdnum/lib/cjs/pl/pesel.js'
import { validate as validatePersonnummer } from 'stdnum/lib/cjs/se/personnummer.js'
import { validate as validateSsn } from 'stdnum/lib/cjs/us/ssn.js'
import { validate as validateZaId } from 'stdnum/lib/cjs/za/idnr.js'
import { type BudgetedCheck, type Finder, hasDigits } from './finding.js'
import { ID_LABELS, isNamedCard, isNamedOtherwise } from './labels.js'
import { LETTER, WORD } from './words.js'

/** Excludes a letter, another number or a path directly before or after. A colon or a dot may end a label. */
const NOT_PRECEDED = String.raw`(?<!${WORD}|[+\/\-]|(?<!${LETTER})[.]|\d:)`
const NOT_FOLLOWED = String.raw`(?!${WORD}|[.\-]\d)`
const GROUP_SEPARATOR = String.raw` ?[ .\-\/] ?`
/** 13 to 19 digits, ungrouped or grouped as on a card, and perhaps the group after them. */
const CARD_NUMBER = new RegExp(
  String.raw`${NOT_PRECEDED}(?:\d{13,19}|\d{4}(?:${GROUP_SEPARATOR}\d{4}){2}${GROUP_SEPARATOR}\d{2,4}(?:${GROUP_SEPARATOR}\d{1,3})?|\d{4}${GROUP_SEPARATOR}\d{6}${GROUP_SEPARATOR}\d{4,5})${NOT_FOLLOWED}`,
  'gv',
)
/** Matches the part that may be a card number, without the group after it. */
const FOUR_GROUPS = new RegExp(String.raw`^\d{4}(?:${GROUP_SEPARATOR}\d{4}){3}(?=${GROUP_SEPARATOR}\d{1,3}$)`, 'v')

/** Finds card numbers that belong to an issuer and whose check digit (Luhn, ISO/IEC 7812) is valid. */
export function* findCards(text: string, check: BudgetedCheck): Finder {
  if (!hasDigits(text, 13)) return
  for (const { 0: whole, index } of text.matchAll(CARD_NUMBER)) {
    const number = [whole, FOUR_GROUPS.exec(whole)?.[0]].find(
      (number) => number !== undefined && check(() => isCard(number, text, index)),
    )
    yield number === undefined ? undefined : { kind: 'credit_card', start: index, end: index + number.length }
  }
}

/** Card lengths of issuers that have few leading digits of their own. */
const USUAL_LENGTHS: ReadonlySet<number> = new Set([14, 15, 16])

/**
 * Ungrouped digits may also be an order's or a parcel's, and one in ten of those has a valid check digit. They do not
 * count where a label says so; for issuers with numbers of any length they count only where a label says that they are
 * a card.
 */
function isCard(number: string, text: string, at: number): boolean {
  const digits = number.replace(/\D/g, '')
  const { isValid, card } = cardValidator.number(digits)
  if (!isValid || digits !== number) return isValid
  if (isNamedOtherwise(text, at)) return false
  return (card?.type !== 'maestro' && USUAL_LENGTHS.has(digits.length)) || isNamedCard(text, at)
}

const IBAN_HEAD = new RegExp(String.raw`(?<!${WORD})[A-Z]{2}\d{2}(?=[ .\-]?[A-Z0-9])`, 'giv')
const LONGEST_IBAN_TEXT = 34 * 2

/** Finds IBANs: of their country's length, grouped or not, with valid check digits (ISO 13616). */
export function* findIbans(text: string, check: BudgetedCheck): Finder {
  for (const { 0: head, index } of text.matchAll(IBAN_HEAD)) {
    const length = countrySpecs[head.slice(0, 2).toUpperCase()]?.chars
    const found = length && takeAlphanumerics(text.slice(index, index + LONGEST_IBAN_TEXT), length)
    const isIban = found && check(() => isValidIBAN(found.characters.toUpperCase()))
    yield isIban ? { kind: 'iban', start: index, end: index + found.end } : undefined
  }
}

const BEGINS_WITH_WORD = new RegExp(`^${WORD}`, 'v')

/**
 * Returns the first `count` letters and digits, with at most one space, dot or hyphen between two; null when there are
 * more or fewer.
 */
function takeAlphanumerics(text: string, count: number): { characters: string; end: number } | null {
  let characters = ''
  let end = 0
  for (; end < text.length && characters.length < count; end++) {
    const character = text[end]!
    if (/[A-Za-z0-9]/.test(character)) characters += character
    else if (!/[ .-]/.test(character) || /[ .-]/.test(text[end - 1]!)) return null
  }
  return characters.length < count || BEGINS_WITH_WORD.test(text.slice(end)) ? null : { characters, end }
}

type Validate = (value: string) => { readonly isValid: boolean }

/** Shapes that little else has; the check digits decide, or the ranges where there are none. */
const ID_SHAPES: readonly (readonly [shape: string, validate: Validate])[] = [
  [String.raw`\d{3}-\d{2}-\d{4}`, validateSsn],
  [String.raw`[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]`, validateNino],
  [String.raw`\d{2}\.?\d{3}\.?\d{3}-?[A-HJ-NP-TV-Z]`, validateDni],
  [String.raw`[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]`, validateNie],
  [String.raw`[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}`, validateNir],
  [String.raw`[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]`, validateCodiceFiscale],
  [String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`, validateCpf],
  [String.raw`756\.\d{4}\.\d{4}\.\d{2}`, validateAhv],
  [String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`, validateNn],
  [String.raw`\d{6}[+A\-]\d{3}[0-9A-Y]`, validateHetu],
  [String.raw`(?:\d{2})?\d{6}[+\-]\d{4}`, validatePersonnummer],
  [String.raw`\d{6}-[1-8]\d{6}`, validateRrn],
  [String.raw`[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d`, validateCurp],
  [String.raw`\d{17}[\dX]`, validateRic],
]
const ID_PATTERNS = ID_SHAPES.map(([shape, validate]) => ({
  shape: new RegExp(`${NOT_PRECEDED}(?:${shape})${NOT_FOLLOWED}`, 'gv'),
  validate,
}))

/** Matches bare digits, but only after a label: one in ten or a hundred is valid by chance. */
const LABELLED_ID = new RegExp(String.raw`${ID_LABELS}[^\d\n]{0,20}(\d[\d .\-]{7,16}\d)(?!${WORD})`, 'giv')
const LABELLED_VALIDATORS: readonly Validate[] = [
  validateSsn,
  validateIdnr,
  validateCpf,
  validateBsn,
  validatePesel,
  validateSin,
  validateAadhaar,
  validateFodselsnummer,
  validatePersonnummer,
  validateNir,
  validateZaId,
]

const FEWEST_DIGITS = 6

export function* findNationalIds(text: string, check: BudgetedCheck): Finder {
  if (!hasDigits(text, FEWEST_DIGITS)) return
  for (const { shape, validate } of ID_PATTERNS) {
    for (const { 0: number, index } of text.matchAll(shape)) {
      const isId = check(() => validate(number.replaceAll('.', '')).isValid && !isNamedOtherwise(text, index))
      yield isId ? { kind: 'national_id', start: index, end: index + number.length } : undefined
    }
    yield
  }
  for (const { 0: all, 1: number, index } of text.matchAll(LABELLED_ID)) {
    const isId = check(() => LABELLED_VALIDATORS.some((validate) => validate(number!.replace(/\D/g, '')).isValid))
    const end = index + all.length
    yield isId ? { kind: 'national_id', start: end - number!.length, end } : undefined
  }
}
