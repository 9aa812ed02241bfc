const UNSTORABLE = /[\0\p{Surrogate}]/u

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

export const UNSTORABLE_FAULT = {
  type: 'string_unicode',
  msg: 'May not contain U+0000 or half of a surrogate pair.',
} as const

const MAX_NAME_LENGTH = 200
const MAX_LOC_LENGTH = 500

/** Returns a name that a caller chose as an error shows it: cut to 200 characters, unstorable characters replaced by U+FFFD. */
function shownName(name: string): string {
  const cut = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
  return cut.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}

/** Returns the location of a fault as an error shows it, with names as `shownName`; beyond 500 characters it ends in `…`. */
export function shownLoc(names: Iterable<string>): string[] {
  const loc: string[] = []
  let length = 0
  for (const name of names) {
    const shown = shownName(name)
    length += shown.length
    if (length > MAX_LOC_LENGTH) return [...loc, '…']
    loc.push(shown)
  }
  return loc
}
