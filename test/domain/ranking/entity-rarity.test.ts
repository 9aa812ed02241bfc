import { expect } from 'chai'
import { entityEvidence, entityRarity } from '../../../domain/ranking/entity-rarity.js'

describe('the rarity of an entity', () => {
  it('is 1 for one that a single memory names, however many there are', () => {
    for (const memories of [1, 2, 600, 1_000_000]) expect(entityRarity(1, memories)).to.equal(1)
  })

  it('falls with the memories that are linked to it', () => {
    const rarities = [1, 2, 5, 20, 50].map((linked) => entityRarity(linked, 600))
    expect(rarities).to.deep.equal([...rarities].sort((a, b) => b - a))
    expect(new Set(rarities).size).to.equal(rarities.length)
  })

  it('is none for one that many are linked to, or all, or nothing', () => {
    expect(entityRarity(300, 600)).to.equal(0)
    expect(entityRarity(3, 3)).to.equal(0)
    expect(entityRarity(0, 600)).to.equal(0)
  })

  it('lies between 0 and 1 when the counts disagree', () => {
    expect(entityRarity(5, 0)).to.equal(0)
    expect(entityRarity(1, 0)).to.equal(1)
  })

  it('says in the end most for a link to the rarest, and adds up', () => {
    expect(entityEvidence([])).to.equal(0)
    expect(entityEvidence([1, 1])).to.equal(2)
    expect(entityEvidence([0.5])).to.equal(0.125)
  })
})
