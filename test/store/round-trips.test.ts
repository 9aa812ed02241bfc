import { expect } from 'chai'
import { RoundTrips } from '../../store/round-trips.js'

describe('round trips', () => {
  let time: number
  let roundTrips: RoundTrips
  beforeEach(() => {
    time = 1_000_000
    roundTrips = new RoundTrips(() => time)
  })

  /** Returns the milliseconds that one more round trip counts. */
  function counted(): number {
    const before = roundTrips.networkMs
    roundTrips.add()
    return roundTrips.networkMs - before
  }

  it('count what the shortest of them took beyond one on the same machine', () => {
    for (const ms of [45, 21, 300]) roundTrips.observe(ms)
    expect(counted()).to.equal(20)
  })

  it('count nothing before the first is measured, nor on the same machine', () => {
    expect(counted()).to.equal(0)
    roundTrips.observe(0.3)
    expect(counted()).to.equal(0)
  })

  it('are measured anew, so that a longer way is seen within twenty seconds', () => {
    roundTrips.observe(0.3)
    time += 10_001
    roundTrips.observe(21)
    expect(counted()).to.equal(0)
    time += 10_001
    roundTrips.observe(21)
    expect(counted()).to.equal(20)
  })

  it('forget what was measured before a long rest', () => {
    roundTrips.observe(0.3)
    time += 60_000
    roundTrips.observe(21)
    expect(counted()).to.equal(20)
  })
})
