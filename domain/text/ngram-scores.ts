import table from './language-ngrams.gen.json' with { type: 'json' }

const HEAD_BYTES = 5
/**
 * The n-grams of eld's database `small` in order, packed by scripts/tables/language-ngrams.ts: a number of four bytes, one with
 * where it stands in its word and the number of its languages, and two for each of these, its place and the score.
 */
const PACKED = Buffer.from(table.ngrams, 'base64')
const { keys: KEYS, places: PLACES } = readKeys(table.count)

function readKeys(count: number) {
  const keys = new Float64Array(count)
  const places = new Uint32Array(count)
  for (let i = 0, at = 0; i < count; i++) {
    const { where, languages } = headAt(at)
    keys[i] = keyOf(PACKED.readUInt32LE(at), where)
    places[i] = at
    at += HEAD_BYTES + 2 * languages
  }
  return { keys, places }
}

function headAt(at: number) {
  const head = PACKED[at + 4]!
  return { where: head & 3, languages: head >> 2 }
}

/** Places of an n-gram in its word, to be added. */
const BEGINS = 1
const ENDS = 2

function keyOf(bytes: number, where: number): number {
  return where * 2 ** 32 + bytes
}

/** The database has the scores without it. */
const LEAST_SCORE = 53
/** Bytes that are read: up to the first space after 350, and no character after 380. */
const LAST_WORD_BEGINS = 350
const LONGEST = 380
const LONGEST_WORD = 70
/** Characters between words, apart from an apostrophe before a letter. */
const SEPARATORS = /\P{L}+(?<!['`’])/gu
const SPACE = 32

/**
 * Returns the mean of the logarithmic likelihoods of a text's n-grams in each language, greatest first, without languages
 * that have none of them. eld's own objects take .7 s of CPU to load and 115 MB of memory, the packed ones 5 MB.
 */
export function ngramScoresOf(text: string): [language: string, score: number][] {
  const ngrams = ngramsIn(Buffer.from(text.replace(SEPARATORS, ' ').trim().toLowerCase()))
  const sums = new Uint32Array(table.languages.length)
  for (const ngram of ngrams) addScores(ngram, sums)
  return table.languages
    .map((language, i): [string, number] => [language, sums[i]! / ngrams.size])
    .filter(([, score]) => score > 0)
    .sort((a, b) => b[1] - a[1])
}

/** Returns the keys of the n-grams of words in UTF-8: the first four bytes, those from every third byte on, the last four. */
function ngramsIn(text: Buffer): Set<number> {
  const ngrams = new Set<number>()
  const end = endOf(text)
  for (let start = 0; start < end;) {
    const space = text.indexOf(SPACE, start)
    const wordEnd = space === -1 || space > end ? end : space
    const length = Math.min(wordEnd - start, LONGEST_WORD)
    let at = 0
    for (; at + 4 < length; at += 3) ngrams.add(keyAt(text, start + at, 4, at === 0 ? BEGINS : 0))
    const last = Math.max(0, length - 4)
    // The last one of a longer word has more than four bytes, and so is in no language.
    if (wordEnd - start > LONGEST_WORD) ngrams.add(-1)
    else if (length > 0) ngrams.add(keyAt(text, start + last, length - last, (at === 0 ? BEGINS : 0) + ENDS))
    start = wordEnd + 1
  }
  return ngrams
}

function endOf(text: Buffer): number {
  const space = text.indexOf(SPACE, LAST_WORD_BEGINS + 1)
  let end = Math.min(text.length, LONGEST + 1)
  while (end < text.length && (text[end]! & 0xc0) === 0x80) end++
  return space === -1 ? end : Math.min(space, end)
}

function keyAt(text: Buffer, at: number, length: number, where: number): number {
  let bytes = 0
  for (let i = 0; i < 4; i++) bytes = bytes * 256 + (i < length ? text[at + i]! : 0)
  return keyOf(bytes, where)
}

function addScores(ngram: number, sums: Uint32Array): void {
  let low = 0
  let high = KEYS.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (KEYS[middle]! < ngram) low = middle + 1
    else high = middle
  }
  if (KEYS[low] !== ngram) return
  const at = PLACES[low]!
  const first = at + HEAD_BYTES
  const end = first + 2 * headAt(at).languages
  for (let posting = first; posting < end; posting += 2) sums[PACKED[posting]!]! += PACKED[posting + 1]! + LEAST_SCORE
}
