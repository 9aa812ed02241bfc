import { expect } from 'chai'
import { createNetworkStretch } from '../../../http/limits/network-share.js'

describe('the stretch of a share', () => {
  /** Returns the stretch after `heldMs` of held permits, of which `networkMs` were on the way, in `ms`. */
  function measured() {
    let time = 1_000
    let networkMs = 0
    let heldMs = 0
    const stretch = createNetworkStretch({ networkMs: () => networkMs, now: () => time })
    return (ms: number, held: number, network: number): number => {
      time += ms
      heldMs += held
      networkMs += network
      return stretch(heldMs)
    }
  }

  it('is 1 while nothing is on the way', () => {
    const after = measured()
    expect([after(0, 0, 0), after(1_000, 2_000, 0)]).to.deep.equal([1, 1])
  })

  it('is one over the square of the rest of the time', () => {
    const after = measured()
    expect(after(1_000, 2_000, 1_000)).to.equal(4)
    expect(after(1_000, 4_000, 3_000)).to.equal(16)
  })

  it('is measured anew each second, of that second alone', () => {
    const after = measured()
    expect(after(1_000, 2_000, 1_000)).to.equal(4)
    expect(after(999, 1_000, 0)).to.equal(4)
    expect(after(1, 0, 0)).to.equal(1)
  })

  it('stays as it is where no permit was held', () => {
    const after = measured()
    after(1_000, 2_000, 1_000)
    expect(after(60_000, 0, 500)).to.equal(4)
  })

  it('has a bound, also when more is on the way than permits are held', () => {
    expect(measured()(1_000, 100, 900)).to.be.closeTo(400, 1)
  })
})
