/** What a text may hold that is a person's or a secret, in the order in which a place is given to one of them. */
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

/** A place in a text, in UTF-16 units. */
export interface PersonalDataSpan {
  readonly kind: PersonalDataKind
  readonly start: number
  readonly end: number
}

/**
 * Candidates of one kind that are looked at closely, each at up to 0.2 ms, in all texts of a memory. Beyond them what has the shape
 * counts as the thing itself: a memory full of such shapes costs no more, and hides nothing.
 */
const MOST_CHECKED = 50

/** Calls `check` for the first candidates, and says yes to all after them. */
export type CheckFew = (check: () => boolean) => boolean

export type Checks = Readonly<Record<'iban' | 'card' | 'nationalId' | 'phone', CheckFew>>

/** For all texts of one memory together. */
export function newChecks(most = MOST_CHECKED): Checks {
  return { iban: checkingFew(most), card: checkingFew(most), nationalId: checkingFew(most), phone: checkingFew(most) }
}

function checkingFew(most: number): CheckFew {
  let left = most
  return (check) => (left > 0 ? (left--, check()) : true)
}

/**
 * Looks for one kind in a text: gives each place, and nothing for a candidate that is none, so that whoever asks can pause between
 * two. A pattern passes a text of 256 KiB in some 10 ms; what takes long is many candidates.
 */
export type Finder = Generator<PersonalDataSpan | undefined, void, undefined>

/** Most texts hold few digits, and need no look for numbers. */
export function hasDigits(text: string, count: number): boolean {
  let left = count
  for (let i = 0; i < text.length && left > 0; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) left--
  }
  return left === 0
}
