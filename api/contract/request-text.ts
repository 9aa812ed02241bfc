const UNSTORABLE = /[\0\p{Surrogate}]/u

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

export const UNSTORABLE_FAULT = {
  type: 'string_unicode',
  msg: 'Holds U+0000 or half of a surrogate pair, which no text may.',
} as const

const LONGEST_NAME = 200

/** Returns a name that a caller chose as an error shows it: of a long one the beginning, without what no text may hold. */
export function shownName(name: string): string {
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
  return cut.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}
