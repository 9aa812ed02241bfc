/** Kinds of personal data and secrets, in the order of precedence when spans overlap. */
export const PERSONAL_DATA_KINDS = [
  'private_key',
  'access_token',
  'api_key',
  'password',
  'iban',
  'credit_card',
  'national_id',
  'email',
  'phone',
] as const
export type PersonalDataKind = (typeof PERSONAL_DATA_KINDS)[number]

/** A range of a text, in UTF-16 units. */
export interface PersonalDataSpan {
  readonly kind: PersonalDataKind
  readonly start: number
  readonly end: number
}

/**
 * Candidates of one kind that are verified, at up to 0.2 ms each, in all texts of a memory. Beyond this budget,
 * whatever has the shape counts as a finding: a memory full of such shapes costs no more, and hides nothing.
 */
const MOST_CHECKED = 50

/** Calls `check` until the budget is spent, and returns true from then on. */
export type BudgetedCheck = (check: () => boolean) => boolean

export type Checks = Readonly<Record<'iban' | 'card' | 'nationalId' | 'phone', BudgetedCheck>>

/** Returns budgets for all texts of one memory together. */
export function createChecks(most = MOST_CHECKED): Checks {
  return {
    iban: budgetedCheck(most),
    card: budgetedCheck(most),
    nationalId: budgetedCheck(most),
    phone: budgetedCheck(most),
  }
}

function budgetedCheck(most: number): BudgetedCheck {
  let left = most
  return (check) => (left > 0 ? (left--, check()) : true)
}

/**
 * Searches a text for one kind. Yields each span, and undefined for a candidate that was rejected, so that the caller
 * can yield to the event loop between two. A pattern scans 256 KiB in some 10 ms; many candidates are what takes long.
 */
export type Finder = Generator<PersonalDataSpan | undefined, void, undefined>

/** Returns whether the text has at least that many digits; most texts have few and need no search for numbers. */
export function hasDigits(text: string, count: number): boolean {
  let left = count
  for (let i = 0; i < text.length && left > 0; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) left--
  }
  return left === 0
}
