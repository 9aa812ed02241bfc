import { expect } from 'chai'
import { type OtherValue, otherValue } from '../../../domain/answers/other-value.js'
import { statementOf } from '../../../domain/answers/statement.js'
import pairs from './statements.json' with { type: 'json' }

describe('domain/answers/other-value', () => {
  const compare = (language: string, a: string, b: string, asked: readonly string[] = []): OtherValue | null =>
    otherValue(statementOf(a, language)!, statementOf(b, language)!, (term) => asked.includes(term))

  for (const [language, a, b] of pairs.restated)
    it(`reads two values of one thing: ${a} ${b}`, () => {
      expect(compare(language!, a!, b!)).to.include({ isValue: true })
      expect(compare(language!, b!, a!)).to.include({ isValue: true })
    })

  for (const [language, a, b] of pairs.things)
    it(`reads two things: ${a} ${b}`, () => {
      expect(compare(language!, a!, b!)?.isValue ?? false).to.equal(false)
      expect(compare(language!, b!, a!)?.isValue ?? false).to.equal(false)
    })

  it('says in which words they differ', () =>
    expect(compare('en', 'The limit is 100 requests.', 'The limit was 250 requests.')).to.deep.equal({
      from: '100',
      to: '250',
      isValue: true,
      around: 'the limit = | request',
    }))

  it('reads no value of what the question asks about', () =>
    expect(compare('en', 'The on-call engineer is Dan.', 'The on-call engineer is Eve.', ['dan'])).to.equal(null))

  const others: [what: string, a: string, b: string][] = [
    ['two spans', 'The port of billing is 8080.', 'The port of search is 9090.'],
    ['a word more', 'The office is open.', 'The office is open on Sundays.'],
    ['a number for a name', 'The release is in March.', 'The release is in 2027.'],
    ['no word that they share', 'Buy milk.', 'Sell eggs.'],
    ['nothing', 'The office is open.', 'the office was open'],
  ]
  for (const [what, a, b] of others)
    it(`finds no other value in ${what}`, () => expect(compare('en', a, b)).to.equal(null))

  it('reads no statement in a long text', () => expect(statementOf('word '.repeat(100), 'en')).to.equal(null))
})
