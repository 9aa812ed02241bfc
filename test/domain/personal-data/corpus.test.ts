import { expect } from 'chai'
import { CORPUS } from '../../../bench/personal-data/corpus.js'
import { measureDetection } from '../../../bench/personal-data/figures.js'

describe('the corpus of personal data', () => {
  const { all, groups, faults } = measureDetection()

  it('is large, and half of it contains nothing to find', () => {
    const harmless = CORPUS.filter(({ spans }) => spans.length === 0).length
    expect(CORPUS.length).to.be.at.least(150)
    expect(harmless / CORPUS.length).to.be.within(0.4, 0.6)
    expect(new Set(CORPUS.map(({ text }) => text)).size).to.equal(CORPUS.length)
  })

  it('is found with a precision of at least .97 and a recall of at least .95', () => {
    expect(all.precision).to.be.at.least(0.97)
    expect(all.recall).to.be.at.least(0.95)
  })

  for (const group of groups.keys())
    it(`is found with exact positions: ${group}`, () => {
      expect(faults.filter((fault) => fault.group === group)).to.deep.equal([])
    })
})
