const UNSTORABLE = /[\0\p{Surrogate}]/u

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

export const UNSTORABLE_FAULT = {
  type: 'string_unicode',
  msg: 'Holds U+0000 or half of a surrogate pair, which no text may.',
} as const

const LONGEST_NAME = 200
const LONGEST_LOC = 500

/** Returns a name that a caller chose as an error shows it: of a long one the beginning, without what no text may hold. */
export function shownName(name: string): string {
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
  return cut.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}

/** Returns where a fault stands as an error shows it, names as `shownName`; what is too deep in long names ends in `…`. */
export function shownLoc(names: Iterable<string>): string[] {
  const loc: string[] = []
  let length = 0
  for (const name of names) {
    const shown = shownName(name)
    length += shown.length
    if (length > LONGEST_LOC) return [...loc, '…']
    loc.push(shown)
  }
  return loc
}
