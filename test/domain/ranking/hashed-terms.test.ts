import { expect } from 'chai'
import fc from 'fast-check'
import { hasDigit, hashTerms, occurrencesOf, TermMatcher, termHash } from '../../../domain/ranking/hashed-terms.js'
import { termCounts } from '../../../domain/near-duplicates/is-near-duplicate.js'

describe('domain/ranking/hashed-terms', () => {
  it('counts each distinct term, in ascending order of their numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 80 }), (terms) => {
        const hashed = hashTerms(terms)
        const counts = termCounts(terms)
        expect([...hashed.hashes]).to.deep.equal([...counts.keys()].map(termHash).sort((a, b) => a - b))
        for (const [term, count] of counts) expect(occurrencesOf(termHash(term), hashed)).to.equal(count)
      }),
    )
  })

  it('has no occurrence of another term', () => {
    expect(occurrencesOf(termHash('sea'), hashTerms(['fox', 'den', 'oak']))).to.equal(0)
    expect(occurrencesOf(termHash('sea'), hashTerms([]))).to.equal(0)
  })

  it('finds each term of a query that a text has, repeated ones too, with its occurrences', () => {
    const terms = fc.array(fc.string({ maxLength: 2 }), { maxLength: 80 })
    fc.assert(
      fc.property(terms, terms, (query, text) => {
        const [hashes, hashed] = [query.map(termHash), hashTerms(text)]
        const found = hashes.map(() => 0)
        new TermMatcher(hashes).findIn(hashed, (place, occurrences) => (found[place]! += occurrences))
        expect(found).to.deep.equal(hashes.map((hash) => occurrencesOf(hash, hashed)))
      }),
    )
  })

  it('finds none of the other terms of a text, however many there are', () => {
    const named = (name: string) => Array.from({ length: 2_000 }, (_, i) => `${name}${i}`)
    let found = 0
    new TermMatcher(named('fox').map(termHash)).findIn(hashTerms(['fox7', ...named('den')]), () => found++)
    expect(found).to.equal(1)
  })

  it('marks the terms with a digit of any script', () => {
    expect(['a1b2', '4711', '४२', '½'].map((term) => hasDigit(termHash(term)))).to.deep.equal([true, true, true, true])
    expect(['fox', 'über', ''].map((term) => hasDigit(termHash(term)))).to.deep.equal([false, false, false])
  })

  it('gives words numbers of their own', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => i.toString(26).replace(/[0-9]/g, (c) => 'qrstuvwxyz'[+c]!))
    expect(new Set(words.map(termHash)).size).to.equal(new Set(words).size)
  })

  it('counts 65,535 occurrences at most', () => {
    expect(occurrencesOf(termHash('fox'), hashTerms(Array(70_000).fill('fox')))).to.equal(65_535)
  })
})
