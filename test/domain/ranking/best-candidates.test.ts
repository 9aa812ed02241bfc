import { expect } from 'chai'
import { bestCandidates } from '../../../domain/ranking/weights.js'

const hit = (id: string, score: number) => ({ id, score })

describe('domain/ranking/best-candidates', () => {
  it('takes the best of every leg, each on its own scale', () => {
    const legs = {
      keyword: [hit('words', 40), hit('few words', 1)],
      vector: [hit('meaning', 0.9), hit('little meaning', 0.01)],
      entity: [hit('entity', 1)],
    }
    expect(bestCandidates(legs, 3)).to.deep.equal(['words', 'entity', 'meaning'])
    expect(bestCandidates(legs, 9)).to.have.members(['words', 'entity', 'meaning', 'few words', 'little meaning'])
  })

  it('adds up the scores of several legs', () => {
    const legs = { keyword: [hit('a', 2), hit('b', 2)], vector: [hit('b', 0.5)] }
    expect(bestCandidates(legs, 1)).to.deep.equal(['b'])
  })

  it('orders equal scores by id, counts negative scores as zero, and accepts missing legs', () => {
    expect(bestCandidates({ vector: [hit('b', 0.5), hit('a', 0.5), hit('c', -0.5)] }, 2)).to.deep.equal(['a', 'b'])
    expect(bestCandidates({}, 5)).to.deep.equal([])
  })
})
