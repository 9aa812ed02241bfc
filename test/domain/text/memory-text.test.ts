import { expect } from 'chai'
import fc from 'fast-check'
import {
  dateTerms,
  embeddedText,
  indexedTerms,
  nameKey,
  normalisedText,
  timeTerms,
  wordsKey,
} from '../../../domain/text/memory-text.js'
import { timeReferences } from '../../../domain/text/time-expressions.js'

describe('domain/text/memory-text', () => {
  it('embeds the title before the content, and the content alone without one', () => {
    expect(embeddedText({ title: 'Trip', content: 'We flew.' })).to.equal('Trip\nWe flew.')
    expect(embeddedText({ title: null, content: 'We flew.' })).to.equal('We flew.')
  })

  describe('normalisedText', () => {
    const same: [difference: string, text: string][] = [
      ['case', 'ALICE MET BOB.'],
      ['spaces within', 'Alice   met\t\nBob.'],
      ['spaces around', '  Alice met Bob.\r\n'],
      ['another kind of space', 'Alice\u00a0met\u2003Bob.'],
      ['compatibility forms', 'Ａlice met Bob．'],
      ['format characters', 'Al\u200bice\u00ad met Bob.\ufeff'],
    ]
    for (const [difference, text] of same)
      it(`is the same for ${difference}`, () => expect(normalisedText(text)).to.equal(normalisedText('Alice met Bob.')))

    const other: [difference: string, text: string][] = [
      ['punctuation', 'Alice met Bob!'],
      ['word order', 'Bob met Alice.'],
      ['a negation', 'Alice never met Bob.'],
      ['an accent', 'Alicé met Bob.'],
      ['a space that is missing', 'Alicemet Bob.'],
    ]
    for (const [difference, text] of other)
      it(`differs for ${difference}`, () => expect(normalisedText(text)).to.not.equal(normalisedText('Alice met Bob.')))

    it('is idempotent', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
          expect(normalisedText(normalisedText(text))).to.equal(normalisedText(text))
        }),
        { numRuns: 1_000 },
      )
    })

    it('composes a letter with its accent, ignoring format characters between them', () => {
      expect(normalisedText('Andre\u200d\u0301')).to.equal(normalisedText('André'))
    })
  })

  it('treats exactly the texts with the same words in the same order as equal', () => {
    const key = wordsKey('Ana leads Ben.')
    for (const same of ['ana LEADS ben', '"Ana" leads -- Ben!', 'Ａna leads Ben'])
      expect(wordsKey(same), same).to.equal(key)
    for (const other of ['Ben leads Ana.', 'Ana leads Ben and Ana', 'Ana leads', 'Analeads Ben'])
      expect(wordsKey(other), other).to.not.equal(key)
    expect(wordsKey('?! …')).to.equal(null)
  })

  it('treats two spellings of a name as one entity', () => {
    expect(nameKey('  Acme  CORP ')).to.equal('acme corp')
    expect(nameKey('Acme-Corp')).to.not.equal(nameKey('Acme Corp'))
  })

  it('returns the terms of a date as a question would write it, in UTC', () => {
    expect(dateTerms(new Date('2023-05-08T23:30:00Z'))).to.deep.equal(['8', 'may', '2023'])
    expect(dateTerms(new Date('2023-12-31T23:30:00-02:00'))).to.deep.equal(['1', 'januari', '2024'])
  })

  it('indexes a memory by text, author and the day that it is about', () => {
    const memory = { title: 'Trips', content: 'flew home', agentId: 'agent-7', createdAt: new Date('2024-02-03') }
    const words = ['trip', 'flew', 'home', 'agent7', 'agent', '7']
    expect(indexedTerms({ ...memory, validStart: null })).to.deep.equal([...words, '3', 'februari', '2024'])
    expect(indexedTerms({ ...memory, agentId: null, validStart: new Date('2020-07-09') })).to.deep.equal([
      ...words.slice(0, 3),
      ...['9', 'juli', '2020'],
    ])
  })

  describe('times in a query', () => {
    const NOW = Date.UTC(2026, 10, 22)
    const days = (...all: string[]) => [...new Set(all.flatMap((day) => dateTerms(new Date(day))))]
    for (const [query, terms] of [
      ['What was shipped yesterday?', days('2026-11-21')],
      ['What was shipped on 3 May 2025?', days('2025-05-03')],
      ['What broke last weekend?', days('2026-11-14', '2026-11-15')],
      ['Who was on call in March?', ['march', '2026']],
      ['What did we drill in Q4 2025?', ['octob', '2025', 'novemb', 'decemb']],
      ['What did we decide in 2024?', []],
      ['What changed since March?', []],
      ['What changed?', []],
    ] as const)
      it(`"${query}" searches for ${terms.join(' ') || 'none'}`, () =>
        expect(timeTerms(timeReferences(query, NOW), NOW)).to.have.members([...terms]))
  })
})
