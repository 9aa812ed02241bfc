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

  it('knows words of the letters a to z, and no others', () => {
    for (const word of ['doctor', 'sicherungen', 'ops', '42']) expect(space.knows(word), word).to.equal(true)
    // The vocabulary has single letters of many scripts: a word of them is similar to any other with the same letters.
    for (const word of ['контракт', '安排', 'συμβόλαιο', '계약']) expect(space.knows(word), word).to.equal(false)
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
