import { expect } from 'chai'
import fc from 'fast-check'
import { withPlainCharacters } from '../../../domain/text/calendars.js'
import { normaliseUnicode } from '../../../domain/text/characters.js'

describe('the normal form of a long text', () => {
  const forms = ['NFC', 'NFD', 'NFKC'] as const

  it('is that of Unicode where no more than 30 marks are in a row', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'か', '\u0301', '\u0316', '\u3099', '\uff9e', '\u05b0'),
      maxLength: 30,
    })
    fc.assert(
      fc.property(fc.array(word, { minLength: 100, maxLength: 120 }), (words) => {
        const text = words.map((word) => `e${word}`).join('')
        for (const form of forms) expect(normaliseUnicode(text, form)).to.equal(text.normalize(form))
      }),
    )
  })

  it('sorts no more than 30 marks at a time, including characters that become marks', () => {
    for (const mark of ['\u0301', '\u3099', '\uff9e', '\u05b0', '\u{1d165}'])
      for (const form of forms) {
        const runs = normaliseUnicode(`a${`${mark}\u0316`.repeat(600)}`, form).split('\u034f')
        expect(runs.length).to.be.at.least(40)
        for (const run of runs) expect([...run].length).to.be.at.most(31)
      }
  })

  it('is that in which times are read', () => {
    expect(withPlainCharacters(`a${'\u0301\u0316'.repeat(600)}`)).to.contain('\u034f')
  })

  it('is idempotent', () => {
    const text = normaliseUnicode(`a${'\u0301\u0316'.repeat(1_000)}`, 'NFC')
    expect(normaliseUnicode(text, 'NFC')).to.equal(text)
  })

  const isOrdered = (marks: string) => marks.normalize('NFD') !== marks.replace(/./gsu, (mark) => mark.normalize('NFD'))

  it('covers all characters that become a mark after others', () => {
    for (let code = 0; code < 0x110000; code++) {
      const character = String.fromCodePoint(code)
      const [first] = character.normalize('NFKD')
      if (!isOrdered(first! + '\u0334') && !isOrdered('\u0345' + first!)) continue
      const text = `${character}\u0316`.repeat(500)
      expect(normaliseUnicode(text, 'NFC'), code.toString(16)).to.contain('\u034f')
    }
  })
})
