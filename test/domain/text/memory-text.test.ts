import { expect } from 'chai'
import fc from 'fast-check'
import {
  dateTerms,
  embeddedText,
  indexedTerms,
  nameKey,
  normalisedText,
  timeTerms,
  duplicateForm,
  haveSameWords,
  textKey,
} from '../../../domain/text/memory-text.js'
import { timeReferences } from '../../../domain/text/time-expressions.js'
import { runToEnd } from '../../../domain/yielding.js'

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

  describe('duplicateForm', () => {
    const text = 'if é:\n  a()\nb()'
    const keyOf = (content: string) => textKey({ title: null, content })
    const same: [difference: string, text: string][] = [
      ['Unicode form', 'if e\u0301:\n  a()\nb()'],
      ['line ends', 'if é:\r\n  a()\rb()'],
      ['Unicode line ends', 'if é:\u2028  a()\u2029b()'],
      ['white space at the ends of lines', 'if é: \t\n  a()\u00a0\r\nb()'],
      ['white space at the end of the text', `${text} \n\n\t\n`],
    ]
    for (const [difference, other] of same)
      it(`is the same for ${difference}`, () => {
        expect(duplicateForm(other)).to.equal(text)
        expect(keyOf(other)).to.equal(keyOf(text))
      })

    const others: [difference: string, a: string, b: string][] = [
      ['case', 'git branch -d', 'git branch -D'],
      ['indentation', text, 'if é:\n  a()\n  b()'],
      ['spaces within a line', 'a b', 'a  b'],
      ['a line end', 'a\nb', 'a b'],
      ['an empty line', 'a\nb', 'a\n\nb'],
      ['white space at the beginning', 'a: 1', '  a: 1'],
      ['punctuation', 'It works.', 'It works!'],
      ['a superscript', '10\u00b2 m', '102 m'],
      ['compatibility forms', 'fi', '\ufb01'],
      ['a format character', 'ab', 'a\u200db'],
      ['an accent', 'e', 'é'],
    ]
    for (const [difference, a, b] of others)
      it(`differs for ${difference}`, () => {
        expect(duplicateForm(a)).to.not.equal(duplicateForm(b))
        expect(keyOf(a)).to.not.equal(keyOf(b))
      })

    it('is equal only for texts whose spelling is equal, so that no two rows can come to have one hash', () => {
      const unit = fc.constantFrom(
        'a',
        'A',
        ' ',
        '\t',
        '\n',
        '\r',
        '\u2028',
        '\u0085',
        '\u00a0',
        '\ufeff',
        '\u200b',
        '\u0301',
        'é',
      )
      fc.assert(
        fc.property(fc.string({ unit, maxLength: 6 }), fc.string({ unit, maxLength: 6 }), (a, b) => {
          expect(duplicateForm(duplicateForm(a))).to.equal(duplicateForm(a))
          if (duplicateForm(a) === duplicateForm(b)) expect(normalisedText(a)).to.equal(normalisedText(b))
        }),
        { numRuns: 20_000 },
      )
    })

    it('takes time in proportion to a text, whatever it is made of', () => {
      for (const part of [' ', '\n', ' \n', '\r', '\u0301', 'a '])
        expect(duplicateForm(`x${part.repeat(200_000)}y`)).to.be.a('string')
    })
  })

  it('finds the texts that have the same words in the same order', () => {
    for (const same of ['ana LEADS ben', '"Ana" leads -- Ben!', 'Ａna leads Ben'])
      expect(haveSameWords('Ana leads Ben.', same), same).to.equal(true)
    for (const other of ['Ben leads Ana.', 'Ana leads Ben and Ana', 'Ana leads', 'Analeads Ben'])
      expect(haveSameWords('Ana leads Ben.', other), other).to.equal(false)
    expect(haveSameWords('?! …', '?! …')).to.equal(false)
  })

  it('embeds a text without the white space at its ends', () => {
    expect(embeddedText({ title: 'T', content: '\n  x: 1\n' })).to.equal('T\nx: 1')
    expect(embeddedText({ title: null, content: '  x: 1\n' })).to.equal('x: 1')
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
    const memory = {
      language: 'en',
      title: 'The trip',
      content: 'She flew home when the train had been cancelled.',
      agentId: 'agent-7',
      createdAt: new Date('2024-02-03'),
    }
    const words = ['trip', 'flew', 'home', 'train', 'cancel', 'agent7', 'agent', '7']
    expect(runToEnd(indexedTerms({ ...memory, validStart: null })).terms).to.deep.equal([
      ...words,
      '3',
      'februari',
      '2024',
    ])
    expect(
      runToEnd(indexedTerms({ ...memory, agentId: null, validStart: new Date('2020-07-09') })).terms,
    ).to.deep.equal([...words.slice(0, 5), ...['9', 'juli', '2020']])
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
