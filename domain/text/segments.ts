import { createRequire } from 'node:module'

/** Matches a letter of a script written without spaces. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const HAN = /\p{Script=Han}/u
const HAN_WORD = /^\p{Script=Han}+$/u
const HIRAGANA = /^\p{Script=Hiragana}+$/u

/** Returns whether a word of Japanese is most likely a particle or an ending. */
export function isHiragana(word: string): boolean {
  return HIRAGANA.test(word)
}

/** Returns whether a text has characters of a script without spaces between words. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text)
}

/**
 * Characters of an unspaced script that are segmented at a time: the segmenter's cost grows with the square of a run
 * (10,000 characters that fold to 60,000 took 1.3 s, in pieces 0.09). No run of real text is as long.
 */
const SEGMENTED = /.{1,512}/gsu

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

interface Segment {
  readonly text: string
  readonly isWord: boolean
}

/**
 * Yields the words of a text in a script without spaces, without stop words and in simplified characters. Beside them it yields each pair of
 * neighbouring Chinese characters of these words that is no word itself, since another text may be segmented otherwise. Chinese is simplified
 * before it is segmented, so that both forms of a text have the same words; Japanese after it, since its words are known as they are written.
 */
export function* segmentsOf(text: string, stopWords: ReadonlySet<string>): Generator<Segment, void, undefined> {
  const isJapanese = KANA.test(text)
  let before = ''
  for (const [piece] of (isJapanese ? text : simplified(text)).matchAll(SEGMENTED))
    for (const { segment, isWordLike } of segmenter.segment(piece)) {
      const word = isJapanese ? simplified(segment) : segment
      const isContent = isWordLike === true && !stopWords.has(word)
      if (isContent) yield { text: word, isWord: true }
      const characters = isContent && HAN_WORD.test(word) ? [...word] : []
      if (before !== '' && characters.length > 0) yield { text: before + characters[0]!, isWord: false }
      if (characters.length > 2)
        for (let i = 1; i < characters.length; i++) yield { text: characters[i - 1]! + characters[i]!, isWord: false }
      before = characters.at(-1) ?? ''
    }
}

/** Yields the words of a text in a script without spaces, as they are written. */
export function* wordsOfUnspaced(text: string): Generator<string, void, undefined> {
  const characters = [...text]
  let at = 0
  for (const [piece] of (KANA.test(text) ? text : simplified(text)).matchAll(SEGMENTED))
    for (const { segment, isWordLike } of segmenter.segment(piece)) {
      const end = at + [...segment].length
      if (isWordLike) yield characters.slice(at, end).join('')
      at = end
    }
}

const require = createRequire(import.meta.url)

/** Traditional characters and their simplified forms (OpenCC), some 4,100. Read on first use; takes half a megabyte. */
let simpler: ReadonlyMap<string, string> | undefined

/** Returns a text with each traditional character in its simplified form. */
export function simplified(text: string): string {
  if (!HAN.test(text)) return text
  simpler ??= readCharacters()
  let plain = ''
  for (const character of text) plain += simpler.get(character) ?? character
  return plain
}

function readCharacters(): ReadonlyMap<string, string> {
  const { default: table } = require('opencc-js/dict/TSCharacters') as { default: string }
  return new Map(
    table.split('|').map((row) => {
      const [traditional, first] = row.split(' ')
      return [traditional!, first!]
    }),
  )
}
