import { expect } from 'chai'
import { openapiDocument } from '../../../contract/openapi-document.js'
import { isBlank } from '../../../domain/text/characters.js'

describe('a text that nobody can read', () => {
  const CASES: [what: string, text: string, blank: boolean][] = [
    ['nothing', '', true],
    ['white space', ' \n\t\u00a0\u3000\ufeff', true],
    ['spaces of no width', '\u200b\u2060', true],
    ['a soft hyphen', '\u00ad', true],
    ['marks of direction', '\u202e\u2069', true],
    ['fillers of Hangul, and the empty pattern of Braille', '\u3164\u115f\u2800', true],
    ['tags and selectors of variants', '\u{e0041}\ufe0f', true],
    ['control characters', '\u0007\u0085', true],
    ['a letter after a mark of direction', '\u200fא', false],
    ['an accent alone', '\u0301', false],
    ['punctuation', '.', false],
    ['an emoji of several characters', '👩‍👩‍👧', false],
  ]
  for (const [what, text, blank] of CASES)
    it(`is ${blank ? '' : 'not '}${what}`, () => {
      expect(isBlank(text)).to.equal(blank)
    })

  it('is what the contract refuses, of all characters', () => {
    const { schemas } = openapiDocument().components as unknown as {
      schemas: Record<string, { properties: Record<string, { pattern: string }> }>
    }
    const content = new RegExp(schemas.MemoryFields!.properties.content!.pattern, 'u')
    const query = new RegExp(schemas.RecallRequest!.properties.query!.pattern, 'u')
    const punctuation = /^\p{P}$/u
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const text = String.fromCodePoint(code)
      const blank = isBlank(text)
      if (content.test(text) === blank || query.test(text) === (blank || punctuation.test(text)))
        expect.fail(`U+${code.toString(16)}`)
    }
  })
})
