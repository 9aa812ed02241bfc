import { expect } from 'chai'
import { mock } from 'node:test'
import { createMemoryCounters, type Counters } from '../../../http/limits/counters.js'

describe('the counters of one process', () => {
  let counters: Counters
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_800_000_000_000 })
    counters = createMemoryCounters({ address: { perSecond: 10, burst: 25 }, tenant: { perSecond: 5, burst: 5 } })
  })
  afterEach(() => mock.timers.reset())
  async function passed(of: 'address' | 'tenant', key: string): Promise<number> {
    const asked = await Promise.allSettled(Array.from({ length: 50 }, () => counters[of].consume(key)))
    return asked.filter(({ status }) => status === 'fulfilled').length
  }

  it('let a burst pass, then the rate of each second, and another burst after ten seconds', async () => {
    expect(await passed('address', 'a')).to.equal(25)
    mock.timers.tick(999)
    expect(await passed('address', 'a')).to.equal(0)
    mock.timers.tick(1)
    expect(await passed('address', 'a')).to.equal(10)
    mock.timers.tick(9_000)
    expect(await passed('address', 'a')).to.equal(25)
  })

  it('count each address and each tenant separately', async () => {
    expect(await passed('address', 'a')).to.equal(25)
    expect([await passed('address', 'b'), await passed('tenant', 'a')]).to.deep.equal([25, 5])
  })

  it('count a minute without an upper bound, and can uncount', async () => {
    for (const used of [1, 2, 3]) expect((await counters.minute.consume('m')).consumedPoints).to.equal(used)
    await counters.minute.reward('m')
    expect((await counters.minute.consume('m')).consumedPoints).to.equal(3)
    expect((await counters.minute.consume('n')).consumedPoints).to.equal(1)
    mock.timers.tick(60_000)
    expect((await counters.minute.consume('m')).consumedPoints).to.equal(4)
    mock.timers.tick(60_000)
    expect((await counters.minute.consume('m')).consumedPoints).to.equal(1)
  })
})
