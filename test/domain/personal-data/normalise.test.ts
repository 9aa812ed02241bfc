import { expect } from 'chai'
import fc from 'fast-check'
import { findPersonalData, maskSpans } from '../../../domain/personal-data/find.js'
import { normalise } from '../../../domain/personal-data/normalise.js'
import { runToEnd } from '../../../domain/yielding.js'

const normalised = (text: string) => runToEnd(normalise(text))
const masked = (text: string) => maskSpans(text, findPersonalData(text))

describe('a text as a person reads it', () => {
  const readings: [what: string, text: string, reading: string][] = [
    ['plain text unchanged', 'Ana: 1-2 "x"\n\tb', 'Ana: 1-2 "x"\n\tb'],
    ['every kind of space', 'a\u00a0b\u2002c\u202fd\u3000e\u2800f', 'a b c d e f'],
    ['hyphens and minus signs', '1\u20112\u20103\u22124\uff0d5\ufe636', '1-2-3-4-5-6'],
    [
      'dashes beside digits as hyphens, and between words as dashes',
      '1\u20132\u20143 \u2014 4 a\u2013b',
      '1-2-3 - 4 a\u2014b',
    ],
    ['digits of all scripts', '٣۴५๖７𝟪', '345678'],
    ['full width', 'Ａｂ＠ｃ．ｄ：１', 'Ab@c.d:1'],
    ['nothing for invisible characters', 'a\u00adb\u200bc\u2060d\ufeffe\u202ef\ufe0fg\u0007h', 'abcdefgh'],
    ['letters without marks', 'jo\u0308rg jörg ñ e\u0301\u0323', 'jorg jorg n e'],
    ['ligatures', 'ﬁsh Ⅳ', 'fish IV'],
    ['middle dots between digits', '1\u00b72 a\u00b7b', '1.2 a\u00b7b'],
    ['quotation marks', '„a“ «b» ‘c’ 「d」', '"a" "b" \'c\' "d"'],
    ['line breaks', 'a\u2028b\u0085c', 'a\nb\nc'],
  ]
  for (const [what, text, reading] of readings) it(`has ${what}`, () => expect(normalised(text).text).to.equal(reading))

  it('maps its characters to their positions in the original', () => {
    const { text, originalSpan } = normalised('x\u200bjo\u0308\u200b\u00ad\uff20ﬁ!')
    expect(text).to.equal('xjo@fi!')
    expect(originalSpan(1, 3)).to.deep.equal({ start: 2, end: 5 })
    expect(originalSpan(3, 4)).to.deep.equal({ start: 7, end: 8 })
    expect(originalSpan(4, 5)).to.deep.equal(originalSpan(5, 6))
  })

  it('is masked completely: no mark and no half of a character is left', () => {
    expect(masked('to jo\u0308hn@example.co\u0308m.')).to.equal('to [email].')
    expect(masked('Mail z\u0335o\u0335@example.com\u0335, soon')).to.equal('Mail [email], soon')
    expect(masked('card 𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏\u20e3!')).to.equal('card [credit_card]!')
  })

  it('keeps the positions of any text in order and within it', () => {
    const character = fc.oneof(
      fc.constantFrom('a', '1', '@', '.', '-', ' ', '\u200b', '\u0308', 'ﬁ', '４', '𝟒', '—', '漢', '\ud800', '\ufdfa'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    )
    fc.assert(
      fc.property(fc.array(character, { maxLength: 40 }), (characters) => {
        const original = characters.join('')
        const { text, originalSpan } = normalised(original)
        let last = 0
        for (let i = 0; i < text.length; i++) {
          const { start, end } = originalSpan(i, i + 1)
          expect(start).to.be.within(last, end - 1)
          expect(end).to.be.at.most(original.length)
          last = start
        }
      }),
    )
  })

  it('returns spans that do not overlap', () => {
    const parts = [
      'ana@example.com',
      'jo\u0308hn＠example．com',
      '４１１１ 1111 1111 1111',
      ' ',
      'ﬁ',
      '\u200b',
      '+49 170 1234567',
      'a',
      ':',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 8 }), (chosen) => {
        const text = chosen.join('')
        let last = 0
        for (const { start, end } of findPersonalData(text)) {
          expect(start).to.be.at.least(last)
          expect(end).to.be.within(start + 1, text.length)
          last = end
        }
      }),
    )
  })
})
