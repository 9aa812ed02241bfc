import { expect } from 'chai'
import fc from 'fast-check'
import { analyse, splitIntoPieces } from '../../../domain/text/analysis.js'

describe('domain/text/analysis', () => {
  const cases: [fact: string, text: string, terms: string[]][] = [
    ['stems English words', 'Running houses were painted', ['run', 'hous', 'paint']],
    ['folds case, accents, full width and ligatures', 'Ünïcode ＦＵＬＬ ﬁne', ['unicod', 'full', 'fine']],
    ['drops function words', 'the cat is on the mat', ['cat', 'mat']],
    ['keeps May, which is a month', 'may', ['may']],
    ['drops the possessive, straight or curly', "Alice’s and Bob's", ['alic', 'bob']],
    ['treats a name with an apostrophe as one word', "O'Brien O’Brien", ['obrien', 'obrien']],
    ['drops contracted function words, straight or curly', "don't won’t", []],
    ['returns an identifier whole and in parts', 'ERR_CONN-42', ['errconn42', 'err', 'conn', '42']],
    ['returns a path whole and in parts', 'api/v2/hosts', ['apiv2host', 'api', 'v2', 'host']],
    ['returns an address whole and in parts', 'ana@x.io', ['anaxio', 'ana', 'x', 'io']],
    ['returns a date whole and in parts', '2023-05-07', ['2023.05.07', '2023', '05', '07']],
    ['returns a decimal whole and in parts', '1.5', ['1.5', '1', '5']],
    ['returns a compound whole and in parts', 'pruneCart', ['prunecart', 'prune', 'cart']],
    [
      'takes capitals in a row as one word',
      'HTTPServer parseURL',
      ['httpserver', 'http', 'server', 'parseurl', 'pars', 'url'],
    ],
    ['does not split at a capital after a digit', 'B2B 4D', ['b2b', '4d']],
    ['splits at doubled separators', 'foo--bar __proto__', ['foo', 'bar', 'proto']],
    ['segments scripts without spaces into words, and simplifies them', '会議室', ['会议', '室', '议室']],
    ['keeps repetitions', 'fox fox', ['fox', 'fox']],
    ['returns nothing for punctuation', '?! -- … · •', []],
    ['returns nothing for an empty text', '', []],
  ]
  for (const [fact, text, terms] of cases) it(fact, () => expect(analyse(text, 'en')).to.deep.equal(terms))

  it('returns the same terms for every spelling of an identifier, except for separators between digits', () => {
    for (const spelling of ['prune_cart', 'prune-cart', 'PRUNE_CART', 'prune.cart', 'PruneCart'])
      expect(analyse(spelling, 'en'), spelling).to.deep.equal(analyse('pruneCart', 'en'))
    expect(analyse('plat-1234', 'en')).to.include('plat1234').and.to.include.members(analyse('PLAT1234', 'en'))
    expect(analyse('1.23', 'en')).to.not.have.members(analyse('12.3', 'en'))
  })

  it('does not split a very long word at its capitals', () => {
    expect(analyse('aB'.repeat(40), 'en')).to.have.length(1)
  })

  it('truncates a very long word, never in the middle of a character', () => {
    expect(analyse('x'.repeat(8_000), 'en')).to.deep.equal(['x'.repeat(128)])
    expect(analyse(`a${'\u{10428}'.repeat(200)}`, 'en')).to.deep.equal([`a${'\u{10428}'.repeat(63)}`])
  })

  it('segments a text without spaces of any length, never in the middle of a character', () => {
    expect(analyse('\u3316'.repeat(10_000), 'en').join('')).to.equal('キロメートル'.repeat(10_000))
    const rare = analyse('\u{1b000}'.repeat(2_000), 'en')
    expect(rare.join('')).to.equal('\u{1b000}'.repeat(2_000))
  })

  it('returns only terms that both engines can store, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        for (const term of analyse(text, 'en')) {
          expect(term.length).to.be.within(1, 128)
          expect(term).to.not.match(/[\s\0\p{Surrogate}]/u)
        }
      }),
    )
  })

  it('returns the same terms for ASCII text with and without other letters next to it', () => {
    const unit = fc.constantFrom(...`abYZs09 '._-/@#+:,!"\n\0`)
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        expect([...analyse(text, 'en'), 'д']).to.deep.equal(analyse(`${text} д`, 'en'))
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps the marks that are vowels, tones and voicing', () => {
    for (const [one, other] of [
      ['कि', 'के'],
      ['กำ', 'กิ'],
      ['が', 'か'],
    ] as const)
      expect(analyse(one, 'en')).to.not.deep.equal(analyse(other, 'en')).and.not.deep.equal([])
  })

  it('returns the same terms for a text in capitals', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcxyz 0189-_.'), maxLength: 100 }), (text) => {
        expect(analyse(text.toUpperCase(), 'en')).to.deep.equal(analyse(text, 'en'))
      }),
    )
  })
})

describe('the pieces of a long text', () => {
  const WORDS = [
    'prune_cart',
    "Ana's",
    '1.23',
    'é',
    'cafe\u0301',
    '漢字かな',
    'ภาษา',
    "don't",
    'a-b',
    '😀',
    '\u0301x',
    'the',
    'runs',
    '-',
    ':/@',
    'ﬁne',
  ]
  const PARTS =
    "xB'\u2019\u0149.\uff0e\uff1a+7\uff17\u00b2 漢か\u3099\uff76\uff9e\u3316\ufdfa\uff21\ufb01ก\u0e33\u1100\u1161\u11a8\u3131\uac00\u0338\u0345\u05b0\u{20000}\u{10428}\u00b4"
  const text = (seed: number, space: readonly string[]) =>
    Array.from({ length: 6_000 }, () => {
      seed = (seed * 48_271) % 2_147_483_647
      return WORDS[seed % WORDS.length]! + space[(seed >> 5) % space.length]!
    }).join('')

  it('are some 4,096 characters each, and have the terms of the whole', () => {
    for (const space of [[' '], [' ', '\n', '', '\u3000', ' \u0301']]) {
      const whole = text(7, space)
      const pieces = [...splitIntoPieces(whole)]
      expect(pieces.join('')).to.equal(whole)
      expect(pieces.length).to.be.within(5, 12)
      expect(pieces.flatMap((piece) => analyse(piece, 'en'))).to.deep.equal(analyse(whole, 'en'))
    }
  })

  it('are a single one for a short text', () => {
    for (const whole of ['', 'a b c', 'x'.repeat(8_192)]) expect([...splitIntoPieces(whole)]).to.deep.equal([whole])
  })

  it('are short, never split a character and have the terms of the whole, even without spaces', () => {
    for (const unit of ['x', 'ab/', 'a-', '1.', '漢', 'か\u3099', '\u{20000}', "a'", '\u0301\u0316', '\u3316']) {
      const whole = `x${unit.repeat(10_000)}`
      const pieces = [...splitIntoPieces(whole)]
      expect(pieces.join('')).to.equal(whole)
      for (const piece of pieces) expect(piece.length).to.be.within(1, 8_192)
      expect(pieces.join(' ')).to.not.match(/\p{Surrogate}/u)
      expect(pieces.flatMap((piece) => analyse(piece, 'en'))).to.deep.equal(analyse(whole, 'en'))
    }
  })

  it('are cut after characters that no rule looks across', () => {
    const isBreak = (left: string, code: number, right: string) => {
      const [first] = splitIntoPieces(
        `${'-'.repeat(4_096)}${left}${String.fromCharCode(code)}${right}${'-'.repeat(4_096)}`,
      )
      return first!.length === 4_097 + left.length
    }
    const breaks = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) => isBreak('xx', code, 'x'))
    expect(breaks.length).to.be.within(40, 120)
    const part = fc.constantFrom(...WORDS, ...Array.from(PARTS), "'s", '\u2019S', '1.237', '10,000', '\u0915\u093f')
    const side = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(side, fc.constantFrom(...breaks), side, (left, code, right) => {
        fc.pre(isBreak(left, code, right))
        const before = left + String.fromCharCode(code)
        expect([...analyse(before, 'en'), ...analyse(right, 'en')]).to.deep.equal(analyse(before + right, 'en'))
      }),
      { numRuns: 20_000 },
    )
    expect(isBreak('xx', 60, '1.237')).to.equal(true)
    expect(isBreak('xx', 60, '\u03381.237')).to.equal(false)
  })
})
