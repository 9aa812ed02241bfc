import { expect } from 'chai'
import type { Bucket, Window } from '../../../api/limits/limit-store.js'
import { MemoryLimitStore } from '../../../api/limits/memory-limit-store.js'

const MINUTE = 60_000

describe('the limits of one process', () => {
  let time: number
  let store: MemoryLimitStore
  beforeEach(() => {
    time = 30_000_000 * MINUTE
    store = new MemoryLimitStore({ now: () => time })
  })
  const bucket: Bucket = { kind: 'bucket', key: 'b', perSecond: 10, burst: 20 }
  const window = (limit: number, startedAt = time): Window => {
    return { kind: 'window', key: 'w', limit, startedAt, lengthMs: MINUTE }
  }
  async function taken(limit: Bucket | Window, count: number): Promise<number> {
    let allowed = 0
    for (let i = 0; i < count; i++) if ((await store.take([limit]))[0]!.allowed) allowed++
    return allowed
  }

  it('let a burst through a bucket, then what it is refilled by', async () => {
    expect(await taken(bucket, 50)).to.equal(20)
    time += 99
    expect(await taken(bucket, 50)).to.equal(0)
    time += 1
    expect(await taken(bucket, 50)).to.equal(1)
    time += 1_000
    expect(await taken(bucket, 50)).to.equal(10)
    time += 3_600_000
    expect(await taken(bucket, 50)).to.equal(20)
  })

  it('keep nobody out whose clock was put back', async () => {
    expect(await taken(bucket, 50)).to.equal(20)
    time -= 3_600_000
    expect(await taken(bucket, 50)).to.equal(20)
    expect(await taken(bucket, 50)).to.equal(0)
  })

  it('count to the limit of a window, and anew in the next', async () => {
    expect(await taken(window(5), 9)).to.equal(5)
    expect(await store.take([window(5)])).to.deep.equal([{ allowed: false, used: 5 }])
    expect(await store.take([window(7)])).to.deep.equal([{ allowed: true, used: 6 }])
    expect(await store.take([window(5, time + MINUTE)])).to.deep.equal([{ allowed: true, used: 1 }])
  })

  it('take nothing more once one has refused', async () => {
    expect(await taken(bucket, 20)).to.equal(20)
    expect(await store.take([bucket, window(5)])).to.deep.equal([{ allowed: false, used: 0 }])
    expect(await store.take([window(5)])).to.deep.equal([{ allowed: true, used: 1 }])
  })

  it('give back to the window that was taken from, and to no other', async () => {
    await taken(window(2), 2)
    await store.giveBack(window(2, time - MINUTE))
    expect(await taken(window(2), 1)).to.equal(0)
    await store.giveBack(window(2))
    expect(await taken(window(2), 2)).to.equal(1)
  })

  it('do not grow with the addresses of a flood, nor forget whoever calls often', async () => {
    const often: Bucket = { ...bucket, key: 'often' }
    expect(await taken(often, 20)).to.equal(20)
    for (let i = 0; i < 60_000; i++) {
      await store.take([{ ...bucket, key: `address ${i}` }])
      if (i % 10_000 === 0) expect(await taken(often, 1)).to.equal(0)
    }
    expect(store.size).to.equal(50_000)
  })
})
