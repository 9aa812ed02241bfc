import { expect } from 'chai'
import fc from 'fast-check'
import type { RankedMemory, ScoreParts } from '../../../domain/ranking/candidate.js'
import { mergeSecondStage } from '../../../domain/ranking/rank.js'

function ranked(id: string, score: number): RankedMemory {
  return {
    candidate: { id },
    score,
    parts: { base: score * 2, freshness: 0.5 } as ScoreParts,
  } as unknown as RankedMemory
}
const first = (...scores: number[]) => scores.map((score, i) => ranked('abcdefgh'[i]!, score))
const order = (results: readonly RankedMemory[]) => results.map(({ candidate }) => candidate.id).join('')

describe('domain/ranking/second-stage', () => {
  const cases: [what: string, scores: number[], relevances: number[], order: string][] = [
    ['keeps an order that is confirmed', [3, 2, 1], [0.9, 0.5, 0.1], 'abc'],
    ['reverses one that is not', [3, 2.9, 2.8], [0.1, 0.5, 0.9], 'cba'],
    ['keeps the order of equal relevances', [3, 2, 1], [0.4, 0.4, 0.4], 'abc'],
    ['keeps the order where nothing is relevant', [3, 2, 1], [0, 0, 0], 'abc'],
    ['keeps the order of equal scores', [2, 2, 2], [0.5, 0.5, 0.5], 'abc'],
    ['scales relevances by the best, however small', [2, 1.9], [0.00001, 0.00002], 'ba'],
    ['does not let a slight difference outweigh a clear one', [2, 1], [0.98, 0.99], 'ab'],
    ['leaves an outdated memory behind a nearly as relevant one', [2, 1 * 0.5], [0.7, 1], 'ab'],
    ['leaves results that it did not read below', [3, 2.9, 2.8, 2.7], [0.1, 0.9], 'bacd'],
    ['accepts no results', [], [], ''],
    ['changes nothing when it read none', [3, 2], [], 'ab'],
  ]
  for (const [what, scores, relevances, expected] of cases)
    it(what, () => expect(order(mergeSecondStage(first(...scores), relevances))).to.equal(expected))

  it('reports the relevance of each, and its rank before and after', () => {
    const [best, second, unread] = mergeSecondStage(first(3, 2.9, 1), [0.2, 0.8])
    expect(best!.secondStage).to.deep.equal({ relevance: 0.8, from: 2, to: 1 })
    expect(second!.secondStage).to.deep.equal({ relevance: 0.2, from: 1, to: 2 })
    expect(best!.parts.rerank_boost).to.equal(5)
    expect(second!.parts.rerank_boost).to.equal(2)
    expect(unread).to.deep.equal(first(3, 2.9, 1)[2])
  })

  it('always returns every result once, by descending scores that are the product of their parts, with no boost below 1', () => {
    const relevances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })
    const scores = fc.array(fc.double({ min: 1e-6, max: 100, noNaN: true }), { maxLength: 40 })
    fc.assert(
      fc.property(scores, relevances, (given, found) => {
        const before = given.sort((a, b) => b - a).map((score, i) => ranked(String(i), score))
        const read = found.slice(0, before.length)
        const after = mergeSecondStage(before, read)
        expect(new Set(after.map(({ candidate }) => candidate.id)).size).to.equal(before.length)
        expect(after.slice(read.length)).to.deep.equal(before.slice(read.length))
        after.forEach(({ score, parts, secondStage }, i) => {
          expect(score).to.be.at.most(after[i - 1]?.score ?? Infinity)
          const product = parts.base * parts.freshness * (parts.rerank_boost ?? 1)
          expect(Math.abs(product - score)).to.be.at.most(1e-9 * score)
          expect(parts.rerank_boost === undefined).to.equal(i >= read.length)
          expect(parts.rerank_boost ?? 1).to.be.within(1, 5)
          expect(secondStage?.to ?? i + 1).to.equal(i + 1)
        })
      }),
    )
  })
})
