import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { eld } from 'eld/small'
import fc from 'fast-check'
import { parse } from 'yaml'
import { ngramScoresOf } from '../../../domain/text/ngram-scores.js'

const read = (file: string): unknown => parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
const { decided, undecided } = read('language.yaml') as { decided: Record<string, string[]>; undecided: string[] }
const TEXTS = [...Object.values(decided).flat(), ...undecided]

describe('the scores of n-grams', () => {
  let detector: typeof eld
  before(async () => {
    detector = (await import('eld/small')).eld
  })

  /** Compares with eld's scores, which are x / (x + 25) of the means. */
  function compare(text: string): void {
    const found = ngramScoresOf(text).map(([language, score]): [string, number] => [language, score / (score + 25)])
    const expected = detector.detect(text).getScores()
    expect(found.map(([language]) => language).sort(), text).to.deep.equal(Object.keys(expected).sort())
    for (const [language, score] of found)
      expect(score, `${language}: ${text}`).to.be.closeTo(expected[language]!, 1e-9)
  }

  it('are those of eld for texts in many languages', () => {
    for (const text of TEXTS) compare(text)
  })

  it('are those of eld for long texts and long words', () => {
    for (const text of TEXTS) compare(`${text} `.repeat(10).slice(0, 700))
    for (const length of [68, 69, 70, 71, 72, 200, 379, 380, 381, 400])
      compare(`${'entscheidung'.repeat(40).slice(0, length)} und мир`)
  })

  it('are those of eld for any letters, apostrophes and spaces', () => {
    const letters = fc.constantFrom('a', 'e', 'n', 't', 'é', 'ы', 'д', 'ह', 'अ', '漢', ' ', ' ', "'", '’', '-', '1')
    fc.assert(fc.property(fc.string({ unit: letters, minLength: 1, maxLength: 600 }), compare))
  })

  it('are in order, and none of a text without letters', () => {
    const scores = ngramScoresOf('Der Rechnungsdienst läuft nicht').map(([, score]) => score)
    expect(scores).to.deep.equal([...scores].sort((a, b) => b - a))
    expect(ngramScoresOf('12 …')).to.deep.equal([])
  })
})
