import { expect } from 'chai'
import { RememberedCounts } from '../../search/opensearch/remembered-counts.js'
import { createMovingClock } from '../support/moving-clock.js'

describe('remembered counts', () => {
  it('are remembered for a minute from when they were counted, however often they are asked for', () => {
    const clock = createMovingClock()
    const counts = new RememberedCounts({ clock })
    counts.addToken('common', 200)
    clock.advance(59_000)
    expect(counts.ofToken('common')).to.equal(200)
    clock.advance(2_000)
    expect(counts.ofToken('common')).to.equal(undefined)
  })

  it('are those of tokens with 200 documents and more, and of audiences with 5,000 and more', () => {
    const counts = new RememberedCounts()
    counts.addToken('rare', 199)
    expect(counts.ofToken('rare')).to.equal(undefined)
    counts.addAudience('small', { documents: 4_999, words: 20_000 })
    expect(counts.ofAudience('small')).to.equal(undefined)
  })

  it('of an audience are remembered for ten seconds, and are those of no token', () => {
    const clock = createMovingClock()
    const counts = new RememberedCounts({ clock })
    const totals = { documents: 5_000, words: 20_000 }
    counts.addAudience('large', totals)
    clock.advance(9_000)
    expect(counts.ofAudience('large')).to.equal(totals)
    expect(counts.ofToken('large')).to.equal(undefined)
    clock.advance(2_000)
    expect(counts.ofAudience('large')).to.equal(undefined)
  })

  it('take 8 MiB at most, whoever asks: the ones asked for last stay', () => {
    const counts = new RememberedCounts()
    counts.addToken('kept', 300)
    for (let i = 0; i < 50_000; i++) {
      counts.addToken(`hostile ${i}`.padEnd(100, 'x'), 300)
      if (i % 1_000 === 0) counts.ofToken('kept')
    }
    expect(counts.ofToken('kept')).to.equal(300)
    expect(counts.ofToken('hostile 0'.padEnd(100, 'x'))).to.equal(undefined)
  })
})
