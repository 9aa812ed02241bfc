import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { mentionsTime } from '../../../domain/text/mentions-time.js'
import { timeReferences } from '../../../domain/text/time-expressions.js'
import { describeTime } from './described-time.js'

interface Sentences {
  readonly times: Readonly<Record<string, string>>
  readonly none: readonly string[]
}

const file = new URL('times-by-language.yaml', import.meta.url)
const languages = parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Sentences>>

/** A Wednesday. */
const NOW = Date.parse('2026-05-13T12:00:00Z')

describe('times by the language', () => {
  for (const [language, { times, none }] of Object.entries(languages))
    describe(language, () => {
      for (const [text, expected] of Object.entries(times))
        it(`in ${JSON.stringify(text)} are ${expected}`, () => {
          expect(timeReferences(text, NOW, language).map(describeTime)).to.deep.equal([expected])
          expect(mentionsTime(text, language)).to.equal(true)
        })
      it('are none in ordinary sentences', () => {
        expect(none.length).to.be.at.least(20)
        const read = none.filter((text) => timeReferences(text, NOW, language).length > 0)
        expect(read).to.deep.equal([])
        expect(none.filter((text) => mentionsTime(text, language))).to.deep.equal([])
      })
    })
})
