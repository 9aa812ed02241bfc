import { expect } from 'chai'
import { haveSameWords } from '../../../domain/answers/same-words.js'
import { statementOf } from '../../../domain/answers/statement.js'
import pairs from './statements.json' with { type: 'json' }

describe('domain/answers/same-words', () => {
  const compare = (language: string, a: string, b: string): boolean => {
    const [ofA, ofB] = [a, b].map((text) => statementOf(text, language))
    return haveSameWords(ofA!, ofB!)
  }

  for (const [language, a, b] of pairs.same)
    it(`say the same: ${a} ${b}`, () => {
      expect(compare(language!, a!, b!)).to.equal(true)
      expect(compare(language!, b!, a!)).to.equal(true)
    })

  for (const [language, a, b] of [...pairs.different, ...pairs.restated, ...pairs.things])
    it(`may not say the same: ${a} ${b}`, () => {
      expect(compare(language!, a!, b!)).to.equal(false)
      expect(compare(language!, b!, a!)).to.equal(false)
    })
})
