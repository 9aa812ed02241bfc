import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import { normaliseUnicode } from '../domain/text/characters.js'
import { PieceTrie } from './piece-trie.js'

export interface PieceTokenizer {
  /** Returns the ids of the text's word pieces in order. */
  encode(text: string): number[]
}

const UNKNOWN = '[UNK]'
const CONTINUATION = '##'
const LONGEST_WORD = 100
const CACHED_WORDS = 20_000
/** Longer words hardly ever repeat, and would let one caller's texts determine how much memory the cache takes. */
const LONGEST_CACHED_WORD = 40

/** Matches texts for the fast path: no accents, no ideographs, no control characters except white space. */
export const PLAIN = /^[\t\n\r -~]*$/
const PLAIN_WORDS = /[a-z0-9]+|[!-/:-@[-`{-~]/g
const WORDS = /[^\s\p{P}$+<=>^`|~]+|[\p{P}$+<=>^`|~]/gu
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu
const IDEOGRAPH =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu

/** Reads a vocabulary: one piece per line, whose number from 0 is its id. */
export async function readPieces(file: string): Promise<string[]> {
  const pieces = (await readFile(file, 'utf8')).split(/\r?\n/)
  if (pieces.at(-1) === '') pieces.pop()
  return pieces
}

/**
 * Creates the tokenizer of BERT's uncased models (Devlin et al. 2018; Wu et al. 2016 for word pieces). Compared with
 * Hugging Face's `BertNormalizer`, `BertPreTokenizer` and `WordPiece` on 32,000 conversation and random texts, it
 * differs only in characters younger than their Unicode tables and in ideographs of extension E; and `[CLS]` in a text
 * is just text. An unknown word is one [UNK]. Ids of words are kept in an LRU cache. Throws for pieces without [UNK].
 */
export function createWordPieceTokenizer(pieces: readonly string[]): PieceTokenizer {
  return createTokenizer((text) => normalise(text).match(WORDS) ?? [], createSplitter(pieces))
}

/**
 * Creates a tokenizer that splits a text into words, those of ASCII in one way for every vocabulary, and each word into
 * the ids of its pieces. Ids of words are kept in an LRU cache.
 */
export function createTokenizer(
  splitOther: (text: string) => readonly string[],
  splitWord: (word: string) => readonly number[],
): PieceTokenizer {
  const cache = new LRUCache<string, readonly number[]>({ max: CACHED_WORDS })

  function idsOf(word: string): readonly number[] {
    if (word.length > LONGEST_CACHED_WORD) return splitWord(word)
    let ids = cache.get(word)
    if (ids === undefined) cache.set(word, (ids = splitWord(word)))
    return ids
  }

  return {
    encode(text) {
      const ids: number[] = []
      const words = PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORDS) ?? []) : splitOther(text)
      for (const word of words) for (const id of idsOf(word)) ids.push(id)
      return ids
    },
  }
}

function normalise(text: string): string {
  return (
    normaliseUnicode(text.replace(DROPPED, '').replace(IDEOGRAPH, ' $& '), 'NFD')
      .replace(/\p{Mn}/gu, '')
      // BERT lower-cases character by character; JavaScript would write a final sigma at the end of a word.
      .replaceAll('Σ', 'σ')
      .toLowerCase()
  )
}

/**
 * Returns a function that splits a word by greedy longest match from the left; a word is split completely or is
 * unknown.
 */
function createSplitter(pieces: readonly string[]): (word: string) => readonly number[] {
  const { heads, tails } = headsAndTails(pieces)
  if (!heads.has(UNKNOWN)) throw new Error(`a vocabulary of word pieces has ${UNKNOWN}; this one lacks it`)
  const unknown = [heads.get(UNKNOWN)!]
  const [headTrie, tailTrie] = [new PieceTrie(heads), new PieceTrie(tails)]

  return function splitWord(word) {
    if (word.length > LONGEST_WORD && Array.from(word).length > LONGEST_WORD) return unknown
    const ids: number[] = []
    for (let start = 0; start < word.length;) {
      const trie = start === 0 ? headTrie : tailTrie
      const node = trie.longest(word, start)
      if (node === 0) return unknown
      ids.push(trie.valueOf(node))
      start += trie.lengthOf(node)
    }
    return ids
  }
}

/** Maps the pieces that begin a word, and those that continue one, to their ids. The latter are written `##piece`. */
export function headsAndTails(pieces: readonly string[]) {
  const heads = new Map<string, number>()
  const tails = new Map<string, number>()
  for (const [id, piece] of pieces.entries())
    if (piece.startsWith(CONTINUATION) && piece !== CONTINUATION) tails.set(piece.slice(CONTINUATION.length), id)
    else heads.set(piece, id)
  return { heads, tails }
}
