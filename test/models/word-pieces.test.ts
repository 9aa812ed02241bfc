import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readTries } from '../../models/piece-trie.js'
import { createWordPieceTokenizer, type PieceTokenizer } from '../../models/word-pieces.js'
import { packVocabulary } from '../../scripts/tables/pieces.js'
import { usedHeap } from '../support/garbage.js'

const TRIES = fileURLToPath(new URL('../../models/static/en-256/pieces.trie', import.meta.url))
const UNKNOWN = 100

describe('word pieces', () => {
  let tokenizer: PieceTokenizer
  before(async () => {
    tokenizer = createWordPieceTokenizer(readTries(await readFile(TRIES))!)
  })

  // Ids as Hugging Face's tokenizers returns them for the teacher's tokenizer.json.
  const cases: [fact: string, text: string, ids: number[]][] = [
    ['gives nothing for an empty text', '', []],
    ['gives nothing for white space', ' \t\n\u3000', []],
    ['cuts a word into the longest pieces from the left', 'unaffable', [14477, 20961, 3468]],
    ['ignores case', 'UnAffable', [14477, 20961, 3468]],
    ['drops accents', 'Crème brûlée', [13675, 21382, 7987, 9307, 2063]],
    ['drops accents written as combining marks', 'Cre\u0300me bru\u0302le\u0301e', [13675, 21382, 7987, 9307, 2063]],
    ['lowers a dotted capital I', 'İstanbul', [9960]],
    ['lowers a final capital sigma like any other', 'ΟΔΟΣ', [1169, 29722, 29730, 29733]],
    ['takes small and capital sigma alike', 'οδοσ', [1169, 29722, 29730, 29733]],
    ['takes each ideograph as a word', '東京tower', [1879, 1755, 3578]],
    ['takes Hangul apart into its letters', '한국어', [1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008]],
    ['drops control characters within a word', 'a\u0000b\u0007c\ufffdd', [5925, 2094]],
    ['drops format characters within a word', 'soft\u00adhyphen', [3730, 10536, 8458, 2368]],
    ['drops half of a surrogate pair', 'soft\ud83dhyphen', [3730, 10536, 8458, 2368]],
    ['drops a byte order mark', '\ufeffbom', [8945, 2213]],
    ['splits at tabs and line ends', 'tab\tnew\nline\rend', [21628, 2047, 2240, 2203]],
    ['splits at Unicode white space', 'a\u2028b\u3000c\u00a0d', [1037, 1038, 1039, 1040]],
    ['takes each punctuation mark as a word', '“quoted”—dash…', [1523, 9339, 1524, 1517, 11454, 1529]],
    ['takes each ASCII symbol as a word', '$5 <b>', [1002, 1019, 1026, 1038, 1028]],
    ['takes repeated symbols one by one', 'C++ & C#', [1039, 1009, 1009, 1004, 1039, 1001]],
    ['leaves a symbol beyond ASCII within its word', '५ × 3', [UNKNOWN, 1095, 1017]],
    ['takes ## in a text for punctuation', '##ing', [1001, 1001, 13749]],
    ['takes [CLS] in a text for text', '[CLS]', [1031, 18856, 2015, 1033]],
    ['gives one unknown for a word that cannot be cut', 'a 😀 b', [1037, UNKNOWN, 1038]],
    ['gives one unknown for a word of 101 characters', 'x'.repeat(101), [UNKNOWN]],
    ['cuts a word of 100 characters', 'x'.repeat(100), [22038, ...new Array<number>(49).fill(20348)]],
  ]
  for (const [fact, text, ids] of cases) {
    it(fact, () => {
      expect(tokenizer.encode(text)).to.deep.equal(ids)
    })
  }

  it('counts characters and not halves of surrogate pairs', () => {
    const small = tokenizerOf('[UNK]\n😀\n##😀')
    expect(small.encode('😀'.repeat(100))).to.have.length(100)
    expect(small.encode('😀'.repeat(101))).to.deep.equal([0])
  })

  it('drops marks however many there are, in time linear in their number', () => {
    const text = (length: number) => `a${'\u0301\u0316'.repeat(length / 2)}`
    expect(tokenizer.encode(text(400_000))).to.deep.equal(tokenizer.encode('a'))
  })

  it('returns the same ids for a cached word', () => {
    const first = tokenizer.encode('remembered unaffable words')
    first.push(0)
    expect(tokenizer.encode('remembered unaffable words')).to.deep.equal(first.slice(0, -1))
  })

  it('keeps of a text no more than its words', () => {
    const before = usedHeap()
    for (let i = 0; i < 20; i++) tokenizer.encode(`a rare unaffableness${i} ${'and words '.repeat(50_000)}`)
    expect(usedHeap() - before).to.be.below(5e6)
  })
})

function tokenizerOf(vocabulary: string): PieceTokenizer {
  return createWordPieceTokenizer(readTries(packVocabulary(vocabulary, { bareForms: false }))!)
}

describe('a vocabulary', () => {
  it('numbers its lines from 0, whatever the line endings', () => {
    expect(tokenizerOf('[UNK]\r\na\r\n##b\r\n').encode('ab c')).to.deep.equal([1, 2, 0])
  })

  it('without [UNK] is refused', () => {
    for (const vocabulary of ['a\n##b', '[UNK\na']) expect(() => tokenizerOf(vocabulary)).to.throw('[UNK]')
  })
})
