import { expect } from 'chai'
import { RememberedCounts } from '../../search/opensearch/remembered-counts.js'
import { createMovingClock } from '../support/moving-clock.js'

describe('remembered counts of tokens', () => {
  it('are remembered for a minute from when they were counted, however often they are asked for', () => {
    const clock = createMovingClock()
    const tokens = new RememberedCounts({ clock })
    tokens.add('common', 200)
    clock.advance(59_000)
    expect(tokens.countOf('common')).to.equal(200)
    clock.advance(2_000)
    expect(tokens.countOf('common')).to.equal(undefined)
  })

  it('are those of 200 documents and more', () => {
    const tokens = new RememberedCounts()
    tokens.add('rare', 199)
    expect(tokens.countOf('rare')).to.equal(undefined)
  })

  it('take 8 MiB at most, whoever asks: the ones asked for last stay', () => {
    const tokens = new RememberedCounts()
    tokens.add('kept', 300)
    for (let i = 0; i < 50_000; i++) {
      tokens.add(`hostile ${i}`.padEnd(100, 'x'), 300)
      if (i % 1_000 === 0) tokens.countOf('kept')
    }
    expect(tokens.countOf('kept')).to.equal(300)
    expect(tokens.countOf('hostile 0'.padEnd(100, 'x'))).to.equal(undefined)
  })
})
