import { nameKey } from '../../../domain/text/memory-text.js'
import { LONGEST_NAME_WORDS } from '../../../domain/text/names/found-name.js'

const MAX_NAME_KEYS = 400

/** Returns the name key of every sequence of up to five words, in the spellings of `spellingsOf`; 400 keys at most. */
export function nameKeysIn(text: string): string[] {
  const words = nameKey(text).split(' ')
  const keys = new Set<string>()
  for (let length = 1; length <= LONGEST_NAME_WORDS; length++)
    for (let start = 0; start + length <= words.length && keys.size < MAX_NAME_KEYS; start++) {
      const run = words.slice(start, start + length)
      // A sequence that occurred before has its spellings already: a query of 5,000 characters that repeats itself costs nothing.
      if (!keys.has(run.join(' '))) for (const key of spellingsOf(run)) keys.add(key)
    }
  keys.delete('')
  return [...keys].slice(0, MAX_NAME_KEYS)
}

/**
 * Returns the words as written ("c++", "yahoo!"), without the punctuation around them ("dr. smith"), without a possessive, and without
 * punctuation around any single word.
 */
function spellingsOf(words: readonly string[]): string[] {
  const asWritten = words.join(' ')
  const trimmed = asWritten.replace(OPENING_PUNCTUATION, '').replace(CLOSING_PUNCTUATION, '')
  const bare = words
    .map((word) => word.replace(PUNCTUATION_AROUND_WORD, '').replace(POSSESSIVE, ''))
    .filter((word) => word !== '')
  return [asWritten, trimmed, trimmed.replace(POSSESSIVE, ''), bare.join(' ')]
}

const OPENING_PUNCTUATION = /^[("'\u201c\u2018\u00ab[{<\u00bf\u00a1]+/u
// The lookbehind lets the match start at the first character of a run of signs only: a long run that does not end the text would otherwise
// take quadratic time.
const CLOSING_PUNCTUATION = /(?<![.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>])[.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>]+$/u
const PUNCTUATION_AROUND_WORD = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu
const POSSESSIVE = /['\u2019]s$/u
