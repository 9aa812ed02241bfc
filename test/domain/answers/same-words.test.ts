import { expect } from 'chai'
import { statementKey } from '../../../domain/answers/same-words.js'
import pairs from './statements.json' with { type: 'json' }

describe('domain/answers/same-words', () => {
  for (const [language, a, b] of pairs.same)
    it(`say the same: ${a} ${b}`, () => {
      expect(statementKey(a!, language!)).to.be.a('string').and.to.equal(statementKey(b!, language!))
    })

  for (const [language, a, b] of [...pairs.different, ...pairs.restated, ...pairs.things])
    it(`may not say the same: ${a} ${b}`, () => {
      expect(statementKey(a!, language!)).not.to.equal(statementKey(b!, language!))
    })

  it('are in no long text, and in none of several lines', () => {
    for (const text of ['word '.repeat(50), 'if fox:\n  a()']) expect(statementKey(text, 'en'), text).to.equal(null)
  })

  it('are of one language', () => expect(statementKey('Port: 80', 'en')).not.to.equal(statementKey('Port: 80', 'de')))
})
