import { expect } from 'chai'
import type { AnalysedText, TermStatistics } from '../../../domain/ranking/candidate.js'
import { hashTerms, termHash } from '../../../domain/ranking/hashed-terms.js'
import {
  lexicalScores,
  poolStatistics,
  rarity,
  type WeightedWord,
  weightedWords,
} from '../../../domain/ranking/lexical.js'

function text(...terms: string[]): Pick<AnalysedText, 'terms' | 'length'> {
  return { terms: hashTerms(terms), length: terms.length }
}

function weighted(weights: Readonly<Record<string, number>>): WeightedWord[] {
  return Object.entries(weights).map(([term, weight]) => ({ hashes: [termHash(term)], weight }))
}

function lexicalScore(terms: readonly WeightedWord[], scored: Pick<AnalysedText, 'terms' | 'length'>, average: number) {
  const { bm25, coverage } = lexicalScores(terms, [scored], average)
  return { bm25: bm25[0]!, coverage: coverage[0]! }
}

describe('domain/ranking/lexical', () => {
  const statistics: TermStatistics = { documents: 10, averageLength: 4, frequency: new Map([['fox', 2]]) }

  describe('rarity', () => {
    it('is ln(1 + (n − df + ½) / (df + ½))', () => {
      expect(rarity(['fox'], statistics)).to.be.closeTo(Math.log(1 + 8.5 / 2.5), 1e-12)
      expect(rarity(['unseen'], statistics)).to.be.closeTo(Math.log(1 + 10.5 / 0.5), 1e-12)
    })

    it('is never negative, even when a stale count exceeds the number of documents', () => {
      const stale = { documents: 3, averageLength: 4, frequency: new Map([['fox', 50]]) }
      expect(rarity(['fox'], stale)).to.be.greaterThan(0)
    })
  })

  describe('BM25', () => {
    it('is the value computed by hand', () => {
      // k1 = .6, b = .3, length 6 of an average 4: norm = .6 · (.7 + .3 · 6 / 4) = .69
      const score = lexicalScore(weighted({ fox: 2, den: 3 }), text('fox', 'fox', 'a', 'b', 'c', 'd'), 4)
      expect(score.bm25).to.be.closeTo((2 * 2) / (2 + 0.69), 1e-12)
      expect(score.coverage).to.be.closeTo(2 / 5, 1e-12)
    })

    it('adds up over the terms of the query', () => {
      const both = lexicalScore(weighted({ fox: 2, den: 3 }), text('fox', 'den'), 2)
      const one = lexicalScore(weighted({ fox: 2 }), text('fox', 'den'), 2)
      const other = lexicalScore(weighted({ den: 3 }), text('fox', 'den'), 2)
      expect(both.bm25).to.be.closeTo(one.bm25 + other.bm25, 1e-12)
      expect(both.coverage).to.equal(1)
    })

    it('is greater in a shorter text, and greater when the term repeats', () => {
      const of = (...terms: string[]) => lexicalScore(weighted({ fox: 1 }), text(...terms), 3).bm25
      expect(of('fox', 'a')).to.be.greaterThan(of('fox', 'a', 'b'))
      expect(of('fox', 'fox', 'a')).to.be.greaterThan(of('fox', 'b', 'a'))
    })

    it('is 0 without a common term, and without any term', () => {
      expect(lexicalScore(weighted({ fox: 1 }), text('den'), 1)).to.deep.equal({ bm25: 0, coverage: 0 })
      expect(lexicalScore([], text('den'), 1)).to.deep.equal({ bm25: 0, coverage: 0 })
      expect(lexicalScore(weighted({ fox: 1 }), text(), 0)).to.deep.equal({ bm25: 0, coverage: 0 })
    })
  })

  it('weights each distinct term of a query once', () => {
    expect(weightedWords([['fox'], ['den']], statistics)).to.deep.equal(
      weighted({ fox: rarity(['fox'], statistics), den: rarity(['den'], statistics) }),
    )
  })

  describe('poolStatistics', () => {
    const pool = [text('fox', 'fox', 'den'), text('den')]

    it('counts only the pool when the index has no counts', () => {
      expect(poolStatistics(null, pool, ['fox', 'den', 'sea'])).to.deep.equal({
        documents: 2,
        averageLength: 2,
        frequency: new Map([
          ['fox', 1],
          ['den', 2],
          ['sea', 0],
        ]),
      })
    })

    it('uses the index’s counts where they are greater', () => {
      const indexed = {
        documents: 9,
        averageLength: 5,
        frequency: new Map([
          ['fox', 4],
          ['den', 0],
        ]),
      }
      expect(poolStatistics(indexed, pool, ['fox', 'den'])).to.deep.equal({
        documents: 9,
        averageLength: 5,
        frequency: new Map([
          ['fox', 4],
          ['den', 2],
        ]),
      })
    })

    it('counts rows that are not indexed yet', () => {
      const indexed = { documents: 0, averageLength: 0, frequency: new Map([['fox', 0]]) }
      expect(poolStatistics(indexed, pool, ['fox'])).to.deep.equal({
        documents: 2,
        averageLength: 2,
        frequency: new Map([['fox', 1]]),
      })
    })

    it('gives no weight to the terms of a very long query that the index did not count', () => {
      const indexed = { documents: 1_000, averageLength: 5, frequency: new Map([['fox', 4]]) }
      const statistics = poolStatistics(indexed, pool, ['fox', 'den'])
      expect(statistics.frequency.get('den')).to.equal(1_000)
      expect(rarity(['den'], statistics)).to.be.lessThan(rarity(['fox'], statistics) / 1_000)
    })

    it('is valid for an empty pool', () => {
      const empty = poolStatistics(null, [], ['fox'])
      expect(empty).to.deep.equal({ documents: 0, averageLength: 0, frequency: new Map([['fox', 0]]) })
      expect(rarity(['fox'], empty)).to.be.finite.and.to.be.greaterThan(0)
    })
  })
})
