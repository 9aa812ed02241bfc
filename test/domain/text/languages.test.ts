import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { analyse, analyseInSteps, analyseQuery } from '../../../domain/text/analysis.js'
import { stemmerOf } from '../../../domain/text/stems.js'
import { stopWordsOf } from '../../../domain/text/stop-words.js'
import stopWords from '../../../domain/text/stop-words.json' with { type: 'json' }
import { runToEnd } from '../../../domain/yielding.js'
import { usedHeap } from '../../support/garbage.js'

type Case = [language: string | null, text: string, asked: string | null, query: string, words: number]

interface Cases {
  readonly found: readonly Case[]
  readonly missed: readonly Case[]
  readonly stopped: Readonly<Record<string, string>>
  readonly kept: Readonly<Record<string, readonly string[]>>
}

const cases = parse(readFileSync(new URL('languages.yaml', import.meta.url), 'utf8')) as Cases

/** Returns the words of a query as whether a text has them. */
function foundIn([language, text, asked, query]: Case): boolean[] {
  const terms = new Set(analyse(text, language))
  return runToEnd(analyseQuery(query, asked)).map((word) => word.some((term) => terms.has(term)))
}

describe('the words of a language', () => {
  for (const one of cases.found)
    it(`${one[0]} “${one[1]}” has those of ${one[2]} “${one[3]}”`, () =>
      expect(foundIn(one).filter((found) => found)).to.have.length(one[4]))

  for (const one of cases.missed)
    it(`${one[0]} “${one[1]}” lacks one of ${one[2]} “${one[3]}”`, () =>
      expect(foundIn(one).filter((found) => !found)).to.have.length(one[4]))

  it('are not its function words', () => {
    for (const [language, text] of Object.entries(cases.stopped))
      expect(analyse(text, language), language).to.deep.equal([])
    expect(analyse('the deploy', 'de')).to.include('the')
  })

  it('are months, days, numbers and all else that says something', () => {
    for (const [language, words] of Object.entries(cases.kept))
      for (const word of words) expect(stopWordsOf(language).has(word), `${language} ${word}`).to.equal(false)
    const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 15)))
    for (const language of Object.keys(stopWords))
      for (const month of months) {
        const name = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(month)
        expect(stopWordsOf(language).has(name.toLowerCase()), `${language} ${name}`).to.equal(false)
      }
  })

  it('count once, whichever terms they have', () => {
    const count = (text: string, language: string | null) => runToEnd(analyseInSteps(text, language)).words
    expect(count('Rechnungen verschicken wir monatlich', 'de')).to.equal(3)
    expect(count('Die Rechnungsnummer fehlt', 'de')).to.equal(2)
    expect(count('invoices were sent', null)).to.equal(2)
    expect(count('会议室', 'zh')).to.equal(2)
    expect(count('Kafka를 쓰기로', 'ko')).to.equal(2)
  })

  it('have the whole form beside the stem, but in English', () => {
    expect(analyse('Rechnungen', 'de')).to.deep.equal(['rechnung', 'rechnungen'])
    expect(analyse('invoices', null)).to.deep.equal(['invoic', 'invoices'])
    expect(analyse('invoices', 'en')).to.deep.equal(['invoic'])
  })

  it('have stems of plain letters in each language of Snowball', () => {
    for (const language of [
      'de',
      'pl',
      'cs',
      'ru',
      'ar',
      'hy',
      'ca',
      'hi',
      'id',
      'ga',
      'lt',
      'ne',
      'sr',
      'ta',
      'yi',
      'et',
      'eu',
    ])
      expect(stemmerOf(language), language).to.be.a('function')
    expect(stemmerOf('zh')).to.equal(null)
    expect(stemmerOf('pt')!('produções')).to.match(/^[a-z]+$/)
  })

  it('are kept in little memory, whatever the script', () => {
    analyse('資料庫', 'zh')
    const before = usedHeap()
    const han = (i: number) =>
      Array.from({ length: 40 }, (_, j) => String.fromCodePoint(0x4e00 + ((i * 1_009 + j * (i + 13)) % 20_000))).join(
        '',
      )
    for (let i = 0; i < 4_000; i++) analyse(han(i), 'zh')
    expect(usedHeap() - before).to.be.below(10e6)
  })

  it('are bounded in a hostile text', () => {
    const marks = `a${'\u0300\u0316'.repeat(60_000)}`
    expect(analyse(marks, null).length).to.be.lessThan(10)
    const terms = analyse('漢'.repeat(10_000), 'zh')
    expect(terms.length).to.be.lessThan(20_001)
    for (const text of [
      '的'.repeat(10_000),
      '가'.repeat(10_000),
      'و'.repeat(10_000),
      '👩\u200d'.repeat(5_000),
      "l'".repeat(5_000),
    ])
      for (const language of ['zh', 'ko', 'ar', 'fr', null]) {
        const found = analyse(text, language)
        expect(found.length).to.be.lessThan(20_000)
        for (const term of found) expect(term.length).to.be.within(1, 128)
      }
  })
})
