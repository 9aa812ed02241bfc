import { expect } from 'chai'
import { casual } from 'chrono-node'
import { ENGLISH_PARSERS, partsOf } from '../../../domain/text/chrono-parts.js'

describe('parts of chrono-node', () => {
  it('are those of a class by its name', () => {
    const found = partsOf(casual.refiners, 'OverlapRemovalRefiner')
    expect(found.map(({ constructor }) => constructor.name)).to.include('OverlapRemovalRefiner')
    expect(found.length).to.be.lessThan(casual.refiners.length)
  })

  it('are refused where no class has that name', () => {
    expect(() => partsOf(casual.refiners, 'OverlapRefiner')).to.throw('chrono-node has no OverlapRefiner')
  })

  it('are without every parser of amounts of time, which backtrack without bound', () => {
    const names = ENGLISH_PARSERS.map(({ constructor }) => constructor.name)
    expect(names.filter((name) => name.includes('TimeUnit'))).to.deep.equal([])
    expect(names).to.include('ENWeekdayParser')
  })
})
