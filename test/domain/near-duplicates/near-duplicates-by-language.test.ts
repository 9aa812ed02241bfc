import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { isNearDuplicate } from '../../../domain/near-duplicates/is-near-duplicate.js'
import { TextReading } from '../../../domain/near-duplicates/text-reading.js'

type Pairs = Readonly<Record<string, readonly (readonly [a: string, b: string])[]>>

const { apart, same } = parse(readFileSync(new URL('near-duplicates-by-language.yaml', import.meta.url), 'utf8')) as {
  apart: Pairs
  same: Pairs
}

const isNearEitherWay = (a: string, b: string, language: string | null) => [
  isNear(a, b, language),
  isNear(b, a, language),
]

const isNear = (a: string, b: string, ofA: string | null, ofB = ofA) =>
  isNearDuplicate(new TextReading(a, ofA), new TextReading(b, ofB))

describe('two similar texts in a language', () => {
  for (const [language, pairs] of Object.entries(apart))
    for (const [a, b] of pairs)
      it(`(${language}) are no near duplicates: ${a} – ${b}`, () => {
        expect(isNearEitherWay(a, b, language)).to.deep.equal([false, false])
        // A short text is often in no language that is certain.
        expect(isNearEitherWay(a, b, null)).to.deep.equal([false, false])
      })

  for (const [language, pairs] of Object.entries(same))
    for (const [a, b] of pairs)
      it(`(${language}) are near duplicates: ${a} – ${b}`, () =>
        expect(isNearEitherWay(a, b, language)).to.deep.equal([true, true]))

  it('are read in the languages of both', () => {
    expect(isNear('Serwer API', 'Serwer API nie', 'pl', null)).to.equal(false)
    expect(isNear('Serwer API', 'Serwer API nie', null, 'pl')).to.equal(false)
  })

  it('are no near duplicates when one adds a word in a language whose negations are not known', () => {
    expect(isNearEitherWay('Seva inafanya kazi', 'Seva inafanya kazi tena', 'sw')).to.deep.equal([false, false])
    expect(isNearEitherWay('Seva inafanya kazi', 'seva inafanya kazi!', 'sw')).to.deep.equal([true, true])
  })

  it('are no near duplicates when they are long and in no certain language', () => {
    const long = 'Сервер работает. '.repeat(150)
    expect(isNearEitherWay(long, `${long}!`, null)).to.deep.equal([false, false])
    expect(isNearEitherWay(long, `${long}!`, 'ru')).to.deep.equal([true, true])
    expect(isNearEitherWay(long.slice(0, 1_000), `${long.slice(0, 1_000)}!`, null)).to.deep.equal([true, true])
    const english = 'The server works. '.repeat(300)
    expect(isNearEitherWay(english, `${english}!`, null)).to.deep.equal([true, true])
  })

  it('are compared quickly, whatever joins their words', () => {
    for (const part of ['ein', 'hundert', 'sech', 'vent', 'ni', 'een'])
      for (const language of ['de', 'it', 'da', 'nl'])
        expect(isNearEitherWay(part.repeat(3_000), part.repeat(13), language)).to.deep.equal([false, false])
    const long = 'zweihundertundeinsx '.repeat(2_000)
    expect(isNearEitherWay(long, long, 'de')).to.deep.equal([true, true])
  })
})
