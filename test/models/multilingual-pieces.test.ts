import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import fc from 'fast-check'
import { createMultilingualTokenizer } from '../../models/multilingual-pieces.js'
import { readTries } from '../../models/piece-trie.js'
import type { PieceTokenizer } from '../../models/word-pieces.js'
import { packVocabulary } from '../../scripts/tables/pieces.js'

const TABLE = fileURLToPath(new URL('../../models/static/multi-256/', import.meta.url))

describe('multilingual pieces', () => {
  let pieces: readonly string[]
  let tokenizer: PieceTokenizer
  before(async () => {
    pieces = (await readFile(`${TABLE}vocab.txt`, 'utf8')).trimEnd().split('\n')
    tokenizer = createMultilingualTokenizer(readTries(await readFile(`${TABLE}pieces.trie`))!)
  })
  const piecesOf = (text: string) => tokenizer.encode(text).map((id) => pieces[id])

  it('has the ids of check.json, from the implementation that made the table', async () => {
    const checks = JSON.parse(await readFile(`${TABLE}check.json`, 'utf8')) as { text: string; ids: number[] }[]
    expect(checks).to.have.length(23)
    for (const { text, ids } of checks) expect(tokenizer.encode(text), text).to.deep.equal(ids)
  })

  const cases: [fact: string, text: string, pieces: string[]][] = [
    ['gives nothing for an empty text', '', []],
    ['gives nothing for white space', ' \t\n\u3000', []],
    ['marks what continues a word', 'Straßenbahnfahrplan', ['straßenbahn', '##fahr', '##plan']],
    ['takes compatible characters alike', 'ｃａｔ ﬁ', ['cat', 'fi']],
    ['does not mark what continues a run without spaces', 'กรุงเทพ', ['กรุงเทพ']],
    ['parts scripts with and without spaces', '在iPhone上', ['在', 'iphone', '上']],
    ['skips a character without a piece', '😀cat', ['##cat']],
    ['drops Arabic vowel marks', 'كَتَبَ', ['كتب']],
    ['drops format characters within a word', 'soft\u00adware', ['software']],
    ['drops half of a surrogate pair beside a word', '\ud83d cat', ['cat']],
  ]
  for (const [fact, text, expected] of cases) {
    it(fact, () => {
      expect(piecesOf(text)).to.deep.equal(expected)
    })
  }

  it('takes a word without its marks where it has fewer pieces so', () => {
    const small = createMultilingualTokenizer(readTries(packVocabulary('b\n##m\nbom\né', { bareForms: true }))!)
    expect(small.encode('böm')).to.deep.equal([2])
    // A piece with marks also answers to its form without.
    expect(small.encode('e é')).to.deep.equal([3, 3])
  })

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(...'aZ9 .#\u0301\u0316üßΣİกำ漢ーﾞ각ع\u064bא\u05b0\u034f\u200d\ud83d😀ﷺ'),
      maxLength: 60,
    }),
  )

  it('never throws, and gives ids of the vocabulary alone', () => {
    fc.assert(
      fc.property(text, (each) => {
        for (const id of tokenizer.encode(each)) expect(pieces[id]).to.be.a('string')
      }),
    )
  })

  it('gives two texts with a space between them the ids of both', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(tokenizer.encode(`${one} ${other}`)).to.deep.equal([
          ...tokenizer.encode(one),
          ...tokenizer.encode(other),
        ])
      }),
    )
  })

  it('takes ASCII alike on its fast path and beside other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (each) => {
        expect(tokenizer.encode(`${each}\u3000`)).to.deep.equal(tokenizer.encode(each))
      }),
    )
  })

  it('covers a word of ASCII letters without a gap, by pieces that may have marks', () => {
    const lettersOf = (piece: string) =>
      piece
        .replace('##', '')
        .normalize('NFD')
        .replace(/\p{Mn}/gu, '')
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,60}$/), (word) => {
        expect(
          piecesOf(word)
            .map((piece) => lettersOf(piece!))
            .join(''),
        ).to.equal(word)
      }),
      { numRuns: 500 },
    )
  })

  it('gives a text of one repeated character at most as many ids more as it has characters more', () => {
    for (const unit of ['a', 'ก', '漢', 'ー', 'ü', '😀', 'ﷺ', '\u0301\u0316', 'ﾞ\u0316', '##', 'Σ', '\ud800']) {
      const [short, long] = [10_000, 100_000].map((units) => tokenizer.encode(unit.repeat(units)).length)
      expect(long, JSON.stringify(unit)).to.be.within(short! * 9, short! * 11)
    }
  })

  it('returns the same ids for a cached word', () => {
    const first = tokenizer.encode('wiedererkannte Wörter')
    first.push(0)
    expect(tokenizer.encode('wiedererkannte Wörter')).to.deep.equal(first.slice(0, -1))
  })
})
