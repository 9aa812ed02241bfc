import { normaliseUnicode } from '../domain/text/characters.js'
import type { PieceTries } from './piece-trie.js'
import { createTokenizer, PLAIN, type PieceTokenizer } from './word-pieces.js'

/** Scripts written without spaces (Thai, Lao, Burmese, Khmer, kana, Han): their words have one kind of piece. */
const UNSPACED_RANGES =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}'
/** Characters that are words of their own. */
const PUNCTUATION =
  '!-\\/:-@\\[-`\\{-~\\u00a1-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7\\u2000-\\u206f\\u20a0-\\u2bff\\u3000-\\u3004\\u3008-\\u303f\\u30fb\\u055a-\\u055f\\u0589\\u05be\\u05c0\\u05c3\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u0e2f\\u0e5a\\u0e5b\\u104a-\\u104f\\u17d4-\\u17da\\ufe30-\\ufe6f\\uff01-\\uff0f'
// eslint-disable-next-line regexp/no-dupe-disjunctions -- marks of unspaced scripts belong to their words
const WORDS = new RegExp(`[${UNSPACED_RANGES}]+|[${PUNCTUATION}]|[^\\s${PUNCTUATION}${UNSPACED_RANGES}]+`, 'gu')
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED_RANGES}]`, 'u')

/** Control and format characters, Arabic vowel marks and tatweel, Hebrew points. */
const DROPPED =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufffd\u0640\u064b-\u0652\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]/g
const MARKS = /[\u0300-\u036f]/g

/**
 * Creates the tokenizer of the multilingual table (models/static/multi-256/README.md). Its classes of characters are
 * those with which the table was made.
 */
export function createMultilingualTokenizer(tries: PieceTries): PieceTokenizer {
  return createTokenizer(splitWords, createSplitter(tries))
}

function splitWords(text: string): readonly string[] {
  const kept = normaliseUnicode(text, 'NFKC').toLowerCase().replace(DROPPED, '')
  return normaliseUnicode(kept, 'NFC').match(WORDS) ?? []
}

/**
 * Returns a function that splits a word into the longest pieces from the left, and skips a character without a piece. A
 * word that has fewer pieces without its marks is taken without them.
 */
function createSplitter({ heads, tails }: PieceTries): (word: string) => readonly number[] {
  function split(word: string): number[] {
    const following = BEGINS_UNSPACED.test(word) ? heads : tails
    const ids: number[] = []
    for (let start = 0, trie = heads; start < word.length;) {
      const node = trie.longest(word, start)
      if (node === 0) start += word.codePointAt(start)! > 0xffff ? 2 : 1
      else {
        ids.push(trie.valueOf(node))
        start += trie.lengthOf(node)
      }
      trie = following
    }
    return ids
  }

  return function splitWord(word) {
    const ids = split(word)
    if (ids.length < 2 || PLAIN.test(word)) return ids
    const bare = withoutMarks(word)
    const bareIds = bare === word ? ids : split(bare)
    return bareIds.length < ids.length ? bareIds : ids
  }
}

/** Returns the form of a word without the marks of Latin letters. */
export function withoutMarks(word: string): string {
  return normaliseUnicode(normaliseUnicode(word, 'NFD').replace(MARKS, ''), 'NFC')
}
