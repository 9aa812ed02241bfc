import { expect } from 'chai'
import { haveOtherValues } from '../../../domain/answers/other-values.js'
import { statementOf } from '../../../domain/answers/statement.js'
import pairs from './statements.json' with { type: 'json' }

describe('domain/answers/other-values', () => {
  const compare = (language: string, a: string, b: string, asked: readonly string[] = []): boolean => {
    const [ofA, ofB] = [statementOf(a, language), statementOf(b, language)]
    return ofA !== null && ofB !== null && haveOtherValues(ofA, ofB, (term) => asked.includes(term))
  }

  for (const [language, a, b] of pairs.restated)
    it(`are those of one thing: ${a} ${b}`, () => {
      expect(compare(language!, a!, b!)).to.equal(true)
      expect(compare(language!, b!, a!)).to.equal(true)
    })

  for (const [language, a, b] of pairs.things)
    it(`are not those of two things: ${a} ${b}`, () => {
      expect(compare(language!, a!, b!)).to.equal(false)
      expect(compare(language!, b!, a!)).to.equal(false)
    })

  it('are none that the question asks about', () =>
    expect(compare('en', 'The on-call engineer is Dan.', 'The on-call engineer is Eve.', ['dan'])).to.equal(false))

  const others: [what: string, a: string, b: string][] = [
    ['two spans', 'The port of billing is 8080.', 'The port of search is 9090.'],
    ['a word more', 'The office is open.', 'The office is open on Sundays.'],
    ['a number for a name', 'The release is in March.', 'The release is in 2027.'],
    ['no word that they share', 'Buy milk.', 'Sell eggs.'],
    ['nothing', 'The office is open.', 'the office was open'],
    ['questions', 'Which port does it use, 80?', 'Which port does it use, 90?'],
  ]
  for (const [what, a, b] of others) it(`are not in ${what}`, () => expect(compare('en', a, b)).to.equal(false))

  it('are in no long text, also where its characters stand for many', () => {
    for (const text of ['word '.repeat(50), '\ufdfa'.repeat(30), '会'.repeat(150)])
      expect(statementOf(text, 'en'), text).to.equal(null)
  })
})
