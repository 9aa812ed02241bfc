import { expect } from 'chai'
import { entityEvidence, entityRarity } from '../../../domain/ranking/lexical.js'

describe('the rarity of an entity', () => {
  it('is 1 for an entity of a single memory, however many memories there are', () => {
    for (const memories of [1, 2, 600, 1_000_000]) expect(entityRarity(1, memories)).to.equal(1)
  })

  it('falls with the memories that are linked to it', () => {
    const rarities = [1, 2, 5, 20, 50].map((linked) => entityRarity(linked, 600))
    expect(rarities).to.deep.equal([...rarities].sort((a, b) => b - a))
    expect(new Set(rarities).size).to.equal(rarities.length)
  })

  it('is 0 for an entity of many memories, of all, or of none', () => {
    expect(entityRarity(300, 600)).to.equal(0)
    expect(entityRarity(3, 3)).to.equal(0)
    expect(entityRarity(0, 600)).to.equal(0)
  })

  it('is between 0 and 1 when the counts disagree', () => {
    expect(entityRarity(5, 0)).to.equal(0)
    expect(entityRarity(1, 0)).to.equal(1)
  })

  it('gives most evidence for a link to the rarest, and adds up', () => {
    expect(entityEvidence([])).to.equal(0)
    expect(entityEvidence([1, 1])).to.equal(2)
    expect(entityEvidence([0.5])).to.equal(0.125)
  })
})
