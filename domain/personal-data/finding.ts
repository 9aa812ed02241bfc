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
 * Candidates of one text that are looked at closely, each at up to 0.2 ms. Beyond them what has the shape counts as the thing itself: a
 * text full of such shapes costs no more, and hides nothing.
 */
const MOST_CHECKED = 50

/** Calls `check` for the first candidates of a text, and says yes to all after them. */
export function checkingFew(): (check: () => boolean) => boolean {
  let left = MOST_CHECKED
  return (check) => (left > 0 ? (left--, check()) : true)
}

/** Most texts hold few digits, and need no look for numbers. */
export function hasDigits(text: string, count: number): boolean {
  let left = count
  for (let i = 0; i < text.length && left > 0; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) left--
  }
  return left === 0
}
