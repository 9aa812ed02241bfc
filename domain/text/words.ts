/** Letters, digits and marks, with nothing between. */
export const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/** Most texts are, and classes of ASCII are matched many times as fast as those of Unicode. */
// eslint-disable-next-line no-control-regex
export const ASCII = /^[\0-\x7f]*$/
export const ASCII_WORDS = /[A-Za-z0-9]+/g

/** What of a text matches `WORDS`. */
export function wordsIn(text: string): string[] {
  return text.match(ASCII.test(text) ? ASCII_WORDS : WORDS) ?? []
}
