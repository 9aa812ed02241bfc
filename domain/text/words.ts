/** Matches letters, digits and marks without separators. */
export const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/** Most texts are ASCII, and ASCII classes match many times as fast as those of Unicode. */
// eslint-disable-next-line no-control-regex
export const ASCII = /^[\0-\x7f]*$/
export const ASCII_WORDS = /[A-Za-z0-9]+/g

/** Returns the parts of a text that match `WORDS`. */
export function wordsIn(text: string): string[] {
  return text.match(ASCII.test(text) ? ASCII_WORDS : WORDS) ?? []
}
