import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { timesIn } from '../../../domain/near-duplicates/times-in.js'
import { calendarOf, withPlainCharacters } from '../../../domain/text/calendars.js'

const sentences = parse(readFileSync(new URL('../text/times-by-language.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, { readonly times: Readonly<Record<string, string>> }>
>

describe('times that near duplicates share', () => {
  for (const [language, { times }] of Object.entries(sentences))
    it(`(${language}) are those of the calendar, but numbers alone`, () => {
      for (const sentence of Object.keys(times)) {
        const small = withPlainCharacters(sentence).toLowerCase()
        const [time = ''] = calendarOf(language).words?.time.exec(small) ?? []
        // A full stop may end a sentence, as that of "3. Mai" in a text of any language.
        if (/\p{L}/u.test(time) && !time.includes('. ')) expect(timesIn(sentence, language), sentence).to.contain(time)
      }
    })

  it('are none in a text of another script, or in English', () => {
    expect(timesIn('завтра', 'de')).to.equal('')
    expect(timesIn('tomorrow', 'en')).to.equal('')
  })

  it('are found in texts of any length', () => {
    expect(timesIn(`${'x '.repeat(2_000)}gestern`, 'de')).to.equal('gestern')
  })
})
