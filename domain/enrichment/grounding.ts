import { nameKey, normalisedText } from '../text/memory-text.js'
import { UNSPACED } from '../text/segments.js'

/**
 * Matches letters and digits of scripts that put spaces between words; in the other scripts a word may begin and end
 * anywhere.
 */
const SPACED_LETTER = new RegExp(String.raw`^(?!${UNSPACED.source})[\p{L}\p{N}]`, 'u')

/**
 * Returns whether the text contains this phrase as whole words, ignoring case, width and white space. What a model says
 * about a text is trusted only as far as this.
 */
export function containsPhrase(text: string, words: string): boolean {
  const wanted = nameKey(words)
  if (wanted === '') return false
  const read = normalisedText(text)
  for (let at = read.indexOf(wanted); at >= 0; at = read.indexOf(wanted, at + 1))
    if (isWhole(read, at, at + wanted.length)) return true
  return false
}

function isWhole(text: string, start: number, end: number): boolean {
  const before = [...text.slice(Math.max(0, start - 2), start)].at(-1) ?? ''
  const first = String.fromCodePoint(text.codePointAt(start)!)
  const last = [...text.slice(Math.max(start, end - 2), end)].at(-1)!
  const after = end < text.length ? String.fromCodePoint(text.codePointAt(end)!) : ''
  return (
    !(SPACED_LETTER.test(before) && SPACED_LETTER.test(first)) &&
    !(SPACED_LETTER.test(last) && SPACED_LETTER.test(after))
  )
}
