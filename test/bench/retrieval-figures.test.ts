import { expect } from 'chai'
import { createFigureTable, scoresOf } from '../../bench/retrieval-figures.js'

describe('bench/retrieval-figures', () => {
  it('is 1 when all evidence comes first, except where less is looked at than there is', () => {
    expect(scoresOf([1, 1, 0, 0], 2)).to.deep.equal({ 'R@1': 0.5, 'R@5': 1, 'R@10': 1, 'N@5': 1, 'N@10': 1, MRR: 1 })
  })

  it('is 0 throughout when none is found', () => {
    expect(scoresOf([0, 0], 1)).to.deep.equal({ 'R@1': 0, 'R@5': 0, 'R@10': 0, 'N@5': 0, 'N@10': 0, MRR: 0 })
    expect(scoresOf([], 1).MRR).to.equal(0)
  })

  it('discounts evidence by its rank, and leaves out what comes after the k-th', () => {
    const scores = scoresOf([0, 1, 0, 0, 0, 1], 2)
    const ideal = 1 + 1 / Math.log2(3)
    expect(scores['R@1']).to.equal(0)
    expect(scores['R@5']).to.equal(0.5)
    expect(scores['R@10']).to.equal(1)
    expect(scores['N@5']).to.be.closeTo(1 / Math.log2(3) / ideal, 1e-12)
    expect(scores['N@10']).to.be.closeTo((1 / Math.log2(3) + 1 / Math.log2(7)) / ideal, 1e-12)
    expect(scores.MRR).to.equal(0.5)
  })

  it('is the mean over the questions of a category, and over all', () => {
    const table = createFigureTable()
    table.add('a', [1], 1)
    table.add('a', [0, 1], 1)
    table.add('b', [0], 1)
    const rows = table.rows()
    expect(rows.a).to.include({ questions: 2, MRR: 0.75 })
    expect(rows.b).to.include({ questions: 1, MRR: 0 })
    expect(rows.all).to.include({ questions: 3, MRR: 0.5, 'R@10': 0.6667 })
  })
})
