import { expect } from 'chai'
import { createPieceSpace, type PieceSpace } from '../../models/piece-space.js'

describe('the similarity of word pieces', () => {
  let space: PieceSpace
  before(async () => {
    space = await createPieceSpace()
  })
  const nearness = (word: string, text: string) =>
    Math.max(0, ...space.similaritiesTo(space.piecesOf(word)[0]!, space.piecesOf(text)))

  it('returns each piece once, and none for what the table does not contain', () => {
    expect(space.piecesOf('the pump and the pump')).to.have.length(3)
    expect(space.piecesOf('')).to.have.length(0)
  })

  it('is greatest for a piece and itself, great for synonyms, small otherwise', () => {
    expect(nearness('doctor', 'the doctor came')).to.equal(1)
    expect(nearness('doctor', 'the physician came')).to.be.within(0.4, 0.99)
    expect(nearness('doctor', 'a blue bicycle')).to.be.below(nearness('doctor', 'the physician came'))
    expect(nearness('doctor', '')).to.equal(0)
  })

  it('is the same the second time, from the cache', () => {
    const first = nearness('train', 'the railway station')
    expect(nearness('train', 'the railway station')).to.equal(first)
    expect(nearness('train', 'station')).to.be.at.most(first)
  })
})
