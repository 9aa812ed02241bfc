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
