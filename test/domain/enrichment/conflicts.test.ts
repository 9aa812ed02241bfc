import { expect } from 'chai'
import { conflictsFrom, type Verdict } from '../../../domain/enrichment/conflicts.js'

const TEXT = 'The gate opens at nine on weekdays.'
const OTHERS = new Map([
  ['m1', { id: 'first', text: 'The gate opens at eight on weekdays.' }],
  ['m2', { id: 'second', text: 'Foxes like grapes.' }],
])

describe('a verdict on two memories', () => {
  const verdict: Verdict = { ref: 'm1', verdict: 'contradicts', here: 'at nine', there: 'at eight' }
  const found = (...given: Partial<Verdict>[]) =>
    conflictsFrom(
      given.map((one) => ({ ...verdict, ...one })),
      TEXT,
      OTHERS,
    )

  it('counts when it quotes differing words from both', () => {
    expect(found({})).to.deep.equal(['first'])
    expect(found({ verdict: 'supersedes', here: 'AT  NINE' })).to.deep.equal(['first'])
  })

  for (const [what, given] of Object.entries<Partial<Verdict>[]>({
    'says unrelated': [{ verdict: 'unrelated' }],
    'is about a memory that was not given': [{ ref: 'm3' }],
    'is about the memory itself': [{ ref: 'this' }],
    'quotes nothing': [{ here: '', there: '' }],
    'quotes a part of a word': [{ here: 'at ni' }],
    'quotes what the text lacks': [{ here: 'at ten' }],
    'quotes what the other lacks': [{ there: 'at ten' }],
    'quotes the other from another': [{ there: 'grapes' }],
    'quotes the same of both': [{ here: 'opens', there: 'opens' }],
    'quotes what holds the other quote': [{ here: 'weekdays', there: 'on weekdays' }],
    'is one of two': [{}, { verdict: 'unrelated' }],
  }))
    it(`does not count when it ${what}`, () => {
      expect(found(...given)).to.deep.equal([])
    })
})
