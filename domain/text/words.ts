import stopWords from './stop-words.json' with { type: 'json' }

/** Matches letters, digits and marks without separators. */
export const WORD_PATTERN = /[\p{L}\p{N}\p{M}]+/gu

/** Most texts are ASCII, and ASCII classes match many times as fast as those of Unicode. */
// eslint-disable-next-line no-control-regex
export const ASCII_TEXT = /^[\0-\x7f]*$/
export const ASCII_WORD_PATTERN = /[A-Za-z0-9]+/g

/** Returns the parts of a text that match `WORD_PATTERN`. */
export function wordsIn(text: string): string[] {
  return text.match(ASCII_TEXT.test(text) ? ASCII_WORD_PATTERN : WORD_PATTERN) ?? []
}

/**
 * Length of a compound such as `pruneCart` or `HTTPServer`, whose words are told apart by their capitals. Longer ones
 * are blobs (base64).
 */
const LONGEST_COMPOUND = 64
/** A fast test, since most texts and words contain no compounds. */
const HAS_COMPOUND = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u
const BEFORE_CAPITAL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** Returns the parts of a compound as written; of any other word the word alone. */
export function compoundParts(word: string): string[] {
  return word.length > LONGEST_COMPOUND || !HAS_COMPOUND.test(word) ? [word] : word.split(BEFORE_CAPITAL)
}

// Words are matched one by one: an expression that also looks for the capitals is quadratic in a long word.

/**
 * Returns the text with the parts of each compound inserted after it, so that the compound is similar to whatever its
 * parts are similar to.
 */
export function withCompoundParts(text: string): string {
  if (!HAS_COMPOUND.test(text)) return text
  return text.replace(WORD_PATTERN, (word) => {
    const parts = compoundParts(word)
    return parts.length === 1 ? word : `${word} ${parts.join(' ')}`
  })
}

/** Returns the compounds of a text as written. */
export function compoundsIn(text: string): string[] {
  return wordsIn(text).filter((word) => compoundParts(word).length > 1)
}

/** English function words that say nothing about a memory. `may` is missing on purpose: it is a month. */
export const STOP_WORDS: ReadonlySet<string> = new Set(stopWords.en.split(' '))
