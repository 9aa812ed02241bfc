import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { analyse, analyseQuery } from '../../../domain/text/analysis.js'
import { partsOfCompound } from '../../../domain/text/decompounding.js'
import { runToEnd } from '../../../domain/yielding.js'

const words = parse(readFileSync(new URL('decompounding.yaml', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, string>
>

describe('the parts of a compound', () => {
  for (const [language, expected] of Object.entries(words))
    it(`are found in a word of the language ${language}, and none where it is no compound`, () => {
      const found = Object.keys(expected).map((word) => [word, partsOfCompound(word, language).join(' ')])
      expect(Object.fromEntries(found)).to.deep.equal(expected)
    })

  it('are terms beside the whole, in a text of its language', () => {
    expect(analyse('Die Rechnungsnummer fehlt', 'de')).to.include.members(['rechnungsnummer', 'rechnung', 'nummer'])
    expect(analyse('Die Rechnungsnummer fehlt', 'en')).to.not.include('nummer')
    expect(analyse('Die Rechnungsnummer fehlt', null)).to.not.include('nummer')
  })

  it('find texts that have them as words of their own, and the reverse', () => {
    const isFound = (query: string, text: string) => {
      const terms = new Set(analyse(text, 'de'))
      const groups = runToEnd(analyseQuery(query, 'de'))
      return groups.filter((group) => group.some((term) => terms.has(term))).length
    }
    expect(isFound('Versicherungsnummer', 'Die Nummer der Versicherung steht oben')).to.equal(2)
    expect(isFound('Nummer der Versicherung', 'Die Versicherungsnummer steht oben')).to.equal(2)
    expect(isFound('Versicherungsnummer', 'Die Halle ist geschlossen')).to.equal(0)
  })
})
