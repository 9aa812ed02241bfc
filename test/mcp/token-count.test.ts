import { expect } from 'chai'
import { encode } from 'gpt-tokenizer'
import { readFile } from 'node:fs/promises'
import { tokenBoundOf } from '../../mcp/token-count.js'
import { randomOf } from '../../bench/random.js'
import { COMMON_CHARACTERS } from '../../mcp/common-characters.js'
import { COMMON_WORDS } from '../../mcp/common-words.js'

const SIGNS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALPHABETS = {
  letters: LETTERS,
  capitals: LETTERS.toUpperCase(),
  'base 64': `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}+/`,
  hexadecimal: `${DIGITS}abcdef`,
  digits: DIGITS,
  signs: SIGNS,
}
/** First and last code points of scripts, common and rare. */
const SCRIPTS: Readonly<Record<string, readonly [number, number]>> = {
  Latin: [0xc0, 0x24f],
  Greek: [0x391, 0x3c9],
  Cyrillic: [0x400, 0x52f],
  Armenian: [0x531, 0x586],
  Hebrew: [0x5d0, 0x5ea],
  Arabic: [0x600, 0x6ff],
  Syriac: [0x700, 0x74a],
  Devanagari: [0x900, 0x97f],
  Tamil: [0xb85, 0xbb9],
  Thai: [0xe01, 0xe3a],
  Tibetan: [0xf00, 0xfbc],
  Ethiopic: [0x1200, 0x1340],
  Cherokee: [0x13a0, 0x13ff],
  Mongolian: [0x1800, 0x18aa],
  symbols: [0x2070, 0x2bff],
  kana: [0x3041, 0x30fa],
  Han: [0x4e00, 0x9fff],
  'rare Han': [0x20000, 0x2a6d0],
  Hangul: [0xac00, 0xd7a3],
  'private use': [0xe000, 0xf8ff],
  emoji: [0x1f300, 0x1f6ff],
  mathematics: [0x1d400, 0x1d7ff],
}

describe('the bound on the tokens of a text', () => {
  const random = randomOf(7)
  const below = (n: number) => Math.floor(random() * n)
  const holds = (text: string) => expect(tokenBoundOf(text), text.slice(0, 60)).to.be.at.least(encode(text).length)

  for (const [name, alphabet] of Object.entries(ALPHABETS))
    it(`holds for random ${name} in words of every length`, () => {
      for (const length of [1, 2, 3, 5, 8, 40])
        for (const between of [' ', '', '\n', ', '])
          holds(
            Array.from({ length: 600 }, () =>
              Array.from({ length }, () => alphabet[below(alphabet.length)]).join(''),
            ).join(between),
          )
    })

  for (const [name, [first, last]] of Object.entries(SCRIPTS))
    it(`holds for random characters of ${name}`, () => {
      for (const word of [1, 6, Infinity])
        holds(
          Array.from({ length: 3_000 }, (_, i) => {
            const character = String.fromCodePoint(first + below(last - first + 1))
            return (i + 1) % word === 0 ? `${character} ` : character
          }).join(''),
        )
    })

  it('holds for random common characters of Han and Hangul, each of which is one token', () => {
    const common = [...COMMON_CHARACTERS]
    for (const character of common) expect(encode(character), character).to.have.length(1)
    const text = Array.from({ length: 5_000 }, () => common[below(common.length)]).join('')
    holds(text)
    expect(tokenBoundOf(text)).to.equal(5_000)
  })

  it('holds for random common words, each of which is one token', () => {
    const words = [...COMMON_WORDS]
    expect(words).to.have.length.above(3_000)
    for (const word of words) expect(encode(` ${word}`), word).to.have.length(1)
    for (const after of ['', '.', 'é', 'X', '9', ' ', '-the'])
      holds(Array.from({ length: 2_000 }, () => ` ${words[below(words.length)]}${after}`).join(''))
  })

  it('holds for white space, escapes, families of emoji and lists of numbers', () => {
    holds(' '.repeat(3_000))
    holds(' \n\t'.repeat(1_000))
    holds(JSON.stringify('\t\tif (x) {\n'.repeat(500)))
    holds(JSON.stringify('\u0001'.repeat(500)))
    holds('👨‍👩‍👧‍👦'.repeat(300))
    holds(JSON.stringify(Array.from({ length: 1_000 }, () => random())))
  })

  it('is at most twice the tokens of English prose', async () => {
    const text = JSON.stringify(await readFile(new URL('../../docs/faq.md', import.meta.url), 'utf8'))
    holds(text)
    expect(tokenBoundOf(text) / encode(text).length).to.be.below(2)
  })

  it('is at most three times the tokens of rows of memories', () => {
    const row = {
      id: '01a21a6b-2a66-7631-8dbe-d229028076bc',
      content: 'The migration window is Sunday at two in the morning.',
    }
    const text = JSON.stringify(Array.from({ length: 100 }, () => row))
    expect(tokenBoundOf(text) / encode(text).length).to.be.within(1, 3)
  })

  it('stops counting where it is beyond what is enough', () => {
    expect(tokenBoundOf('x y '.repeat(1_000_000), 10)).to.be.within(10, 15)
  })
})
