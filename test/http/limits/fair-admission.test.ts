import { expect } from 'chai'
import {
  FairAdmission,
  type FairAdmissionOptions,
  type Permit,
  type AdmissionRequest,
} from '../../../http/limits/fair-admission.js'
import { gate, until } from '../../support/states.js'

describe('fair admission', () => {
  let time: number
  let use: { taken: number; waiting: number; externalCalls: number }
  let refusals: number
  beforeEach(() => {
    time = 1_000_000
    use = { taken: 0, waiting: 0, externalCalls: 0 }
    refusals = 0
  })

  function admission(given: Partial<FairAdmissionOptions> = {}): FairAdmission {
    const onUse = (now: typeof use) => void (use = now)
    const onRefusal = () => void refusals++
    const options = {
      total: 4,
      share: 1,
      allowsBorrowing: true,
      queue: 100,
      waitsFor: 'others',
      onUse,
      onRefusal,
      now: () => time,
    }
    return new FairAdmission({ ...options, ...given })
  }

  function admissionRequestOf(
    tenant: string,
    { isBulk = false, callsOtherServices = false, signal = new AbortController().signal } = {},
  ): AdmissionRequest {
    return { tenant, isBulk, callsOtherServices, signal }
  }

  /** Acquires permits by name and releases them; `order` has the names in the order of their admission. */
  function crowd(fair: FairAdmission) {
    const order: string[] = []
    const permits = new Map<string, Permit>()
    async function come(name: string, signal = new AbortController().signal): Promise<void> {
      permits.set(name, await fair.acquire(admissionRequestOf(name[0]!, { signal })))
      order.push(name)
    }
    async function release(name: string): Promise<void> {
      permits.get(name)!.release()
      // An admitted request continues in the next iteration of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { order, come, release }
  }

  it('gives a tenant every permit while it is alone', async () => {
    const fair = admission()
    for (let i = 0; i < 4; i++) await fair.acquire(admissionRequestOf('a'))
    void fair.acquire(admissionRequestOf('a'))
    expect(use).to.deep.equal({ taken: 4, waiting: 1, externalCalls: 0 })
  })

  it('limits a tenant to its share while others are active, and no longer when they were idle for ten seconds', async () => {
    const fair = admission()
    ;(await fair.acquire(admissionRequestOf('b'))).release()
    const { order, come, release } = crowd(fair)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void come(name)
    await until('a request is admitted', () => expect(order.length).to.be.greaterThan(0))
    expect([order, use]).to.deep.equal([['a1'], { taken: 1, waiting: 4, externalCalls: 0 }])
    time += 10_001
    await release('a1')
    expect(order).to.deep.equal(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  describe('between tenants that are active', () => {
    /** The permits that each tenant holds, by the first letter of its requests. */
    const heldBy = (order: readonly string[]) =>
      ['a', 'b', 'c'].map((t) => order.filter((name) => name[0] === t).length)

    it('lends every permit to two that both ask for more than their share', async () => {
      const fair = admission({ total: 10 })
      const { order, come } = crowd(fair)
      for (let i = 0; i < 12; i++) for (const tenant of ['a', 'b']) void come(`${tenant}${i}`)
      await until('all permits are held', () => expect(order).to.have.length(10))
      expect(heldBy(order)).to.deep.equal([5, 5, 0])
      expect(use).to.deep.equal({ taken: 10, waiting: 14, externalCalls: 0 })
    })

    it('lends none beside one that asks for its share alone, for ten seconds', async () => {
      const fair = admission({ total: 10 })
      const { order, come, release } = crowd(fair)
      for (let i = 0; i < 12; i++) for (const tenant of ['a', 'b']) void come(`${tenant}${i}`)
      await until('all permits are held', () => expect(order).to.have.length(10))
      void come('c1')
      for (const name of order.slice(0, 10)) await release(name)
      await release('c1')
      expect(heldBy(order.slice(10))).to.deep.equal([1, 1, 1])
      expect(use).to.deep.equal({ taken: 2, waiting: 12, externalCalls: 0 })
      time += 10_001
      await release(order.at(-1)!)
      expect(use).to.deep.equal({ taken: 10, waiting: 3, externalCalls: 0 })
    })

    it('lends none beside one that goes on asking, however long ago it began', async () => {
      const fair = admission({ total: 10 })
      for (const tenant of ['b', 'c', 'b']) {
        ;(await fair.acquire(admissionRequestOf(tenant))).release()
        time += 6_000
      }
      await fair.acquire(admissionRequestOf('a'))
      void fair.acquire(admissionRequestOf('a'))
      expect(use).to.deep.equal({ taken: 1, waiting: 1, externalCalls: 0 })
    })

    it('forgets one that stopped asking while others go on', async () => {
      const fair = admission({ total: 10 })
      for (const tenant of ['a', 'b', 'a', 'a']) {
        ;(await fair.acquire(admissionRequestOf(tenant))).release()
        time += 5_000
      }
      for (let i = 0; i < 3; i++) await fair.acquire(admissionRequestOf('a'))
      expect(use).to.deep.equal({ taken: 3, waiting: 0, externalCalls: 0 })
    })

    it('lends as much as the one beside it asks for', async () => {
      const fair = admission({ total: 10 })
      const { order, come } = crowd(fair)
      for (const name of ['b1', 'b2', 'b3']) await come(name)
      for (let i = 0; i < 12; i++) void come(`a${i}`)
      await until('three are admitted', () => expect(heldBy(order)[0]).to.equal(3))
      expect(use).to.deep.equal({ taken: 6, waiting: 9, externalCalls: 0 })
    })

    it('counts what waits as asked for, not only what is held', async () => {
      const fair = admission({ total: 10 })
      const { order, come, release } = crowd(fair)
      for (let i = 0; i < 20; i++) void come(`a${i}`)
      await until('one holds every permit', () => expect(order).to.have.length(10))
      for (let i = 0; i < 5; i++) void come(`b${i}`)
      for (const name of order.slice(0, 10)) await release(name)
      expect(heldBy(order.slice(10))).to.deep.equal([5, 5, 0])
      expect(use).to.deep.equal({ taken: 10, waiting: 5, externalCalls: 0 })
    })

    it('admits a third as soon as a permit is free, however much the first two hold', async () => {
      const fair = admission({ total: 10 })
      const { order, come, release } = crowd(fair)
      for (let i = 0; i < 12; i++) for (const tenant of ['a', 'b']) void come(`${tenant}${i}`)
      await until('all permits are held', () => expect(order).to.have.length(10))
      void come('c1')
      await release(order[0]!)
      expect(order.slice(10)).to.deep.equal(['c1'])
    })

    it('lends more where the requests at work wait for the network, given how long permits were held', async () => {
      const heldMs: number[] = []
      const stretch = (ms: number) => (heldMs.push(ms), 3.5)
      const fair = admission({ total: 10, stretch })
      const first = await fair.acquire(admissionRequestOf('b'))
      time += 30
      first.release()
      const { order, come } = crowd(fair)
      time += 500
      await come('a1')
      time += 100
      await come('a2')
      time += 50
      void come('a3')
      void come('a4')
      await until('three are admitted', () => expect(order).to.have.length(3))
      expect(use).to.deep.equal({ taken: 3, waiting: 1, externalCalls: 0 })
      expect(heldMs.at(-1)).to.equal(30 + 100 + 2 * 50)
    })

    it('lends nothing where nothing may be lent, whatever waits for the network', async () => {
      const fair = admission({ total: 10, allowsBorrowing: false, stretch: () => 5 })
      await fair.acquire(admissionRequestOf('a'))
      void fair.acquire(admissionRequestOf('a'))
      expect(use).to.deep.equal({ taken: 1, waiting: 1, externalCalls: 0 })
    })
  })

  it('gives a free permit to the tenant that holds the fewest, before earlier requests', async () => {
    const fair = admission({ share: 4 })
    const { order, come, release } = crowd(fair)
    for (const name of ['a1', 'a2', 'a3', 'a4']) await come(name)
    for (const name of ['a5', 'a6', 'a7', 'b1', 'b2', 'c1']) void come(name)
    await release('a1')
    await release('a2')
    await release('c1')
    expect(order.slice(4)).to.deep.equal(['b1', 'c1', 'b2'])
  })

  it('alternates between tenants that hold equally many', async () => {
    const fair = admission({ total: 1 })
    const { order, come, release } = crowd(fair)
    await come('a1')
    for (const name of ['a2', 'a3', 'b1', 'b2', 'c1']) void come(name)
    for (let i = 0; i < 5; i++) await release(order.at(-1)!)
    expect(order).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('does not let bulk writes of a tenant delay its other requests, nor another tenant', async () => {
    const fair = admission()
    ;(await fair.acquire(admissionRequestOf('b'))).release()
    const bulk = await fair.acquire(admissionRequestOf('a', { isBulk: true }))
    void fair.acquire(admissionRequestOf('a', { isBulk: true }))
    ;(await fair.acquire(admissionRequestOf('a'))).release()
    ;(await fair.acquire(admissionRequestOf('b'))).release()
    expect(use).to.deep.equal({ taken: 1, waiting: 1, externalCalls: 0 })
    time += 10_001
    bulk.release()
    expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
    await fair.acquire(admissionRequestOf('a'))
    await fair.acquire(admissionRequestOf('a'))
    expect(use).to.deep.equal({ taken: 3, waiting: 0, externalCalls: 0 })
  })

  it('refuses requests beyond one tenant’s queue with 429, and no other tenant’s', async () => {
    const fair = admission({ total: 1, queue: 2 })
    await fair.acquire(admissionRequestOf('a'))
    void fair.acquire(admissionRequestOf('a'))
    void fair.acquire(admissionRequestOf('a'))
    const failure = await fair.acquire(admissionRequestOf('a')).catch((error: unknown) => error)
    expect(failure).to.include({ status: 429, retryAfterS: 1 })
    void fair.acquire(admissionRequestOf('b'))
    expect(use).to.deep.equal({ taken: 1, waiting: 3, externalCalls: 0 })
    expect(refusals).to.equal(1)
  })

  it('refuses a request with 503 when it waits too long', async () => {
    const fair = admission({ total: 1, waitMs: 5 })
    await fair.acquire(admissionRequestOf('a'))
    expect(await fair.acquire(admissionRequestOf('b')).catch((error: unknown) => error)).to.include({ status: 503 })
    expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
  })

  it('refuses a request with 429 when it waits too long for others of its own tenant', async () => {
    const fair = admission({ total: 1, waitMs: 5 })
    await fair.acquire(admissionRequestOf('a'))
    const refusal = await fair.acquire(admissionRequestOf('a')).catch((error: unknown) => error)
    expect(refusal).to.include({ status: 429, retryAfterS: 1, message: 'The request waited too long for others.' })
    expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
  })

  describe('of a request that needs several', () => {
    it('waits until they are free, before requests that have not started', async () => {
      const fair = admission()
      const { order, come, release } = crowd(fair)
      for (const name of ['a1', 'a2', 'a3']) await come(name)
      const large = await fair.acquire(admissionRequestOf('a'))
      const grown = large.growTo(3).then(() => order.push('large'))
      void come('a4')
      await release('a1')
      expect(order).to.deep.equal(['a1', 'a2', 'a3'])
      await release('a2')
      await grown
      expect([order, use]).to.deep.equal([['a1', 'a2', 'a3', 'large'], { taken: 4, waiting: 1, externalCalls: 0 }])
      large.release()
      await until('the next is admitted', () => expect(order.at(-1)).to.equal('a4'))
      expect(use).to.deep.equal({ taken: 2, waiting: 0, externalCalls: 0 })
    })

    it('takes no more than there are', async () => {
      const fair = admission()
      const large = await fair.acquire(admissionRequestOf('a'))
      await large.growTo(100)
      expect(use).to.deep.equal({ taken: 4, waiting: 0, externalCalls: 0 })
    })

    it('admits one beside another tenant that asks for less, and no second', async () => {
      const fair = admission({ total: 8 })
      ;(await fair.acquire(admissionRequestOf('b'))).release()
      const large = await fair.acquire(admissionRequestOf('a'))
      await large.growTo(3)
      const second = fair.acquire(admissionRequestOf('a'))
      expect(use).to.deep.equal({ taken: 3, waiting: 1, externalCalls: 0 })
      large.release()
      await (await second).growTo(3)
      expect(use).to.deep.equal({ taken: 3, waiting: 0, externalCalls: 0 })
    })

    it('does nothing where it has as many', async () => {
      const fair = admission({ total: 1 })
      const permit = await fair.acquire(admissionRequestOf('a'))
      void fair.acquire(admissionRequestOf('a'))
      await permit.growTo(1)
      expect(use).to.deep.equal({ taken: 1, waiting: 1, externalCalls: 0 })
    })
  })

  it('tells at once whether a permit is free', async () => {
    const fair = admission({ total: Infinity, allowsBorrowing: false })
    const permit = fair.tryAcquire(admissionRequestOf('a'))
    expect(permit).to.not.equal(null)
    expect(fair.tryAcquire(admissionRequestOf('a'))).to.equal(null)
    expect(fair.tryAcquire(admissionRequestOf('b'))).to.not.equal(null)
    permit!.release()
    expect(fair.tryAcquire(admissionRequestOf('a'))).to.not.equal(null)
    expect(use).to.deep.equal({ taken: 2, waiting: 0, externalCalls: 0 })
  })

  it('lets a request that waits for others of its process come back, and counts it as no external call', async () => {
    const fair = admission({ total: 1, externalCalls: 1 })
    const permit = await fair.acquire(admissionRequestOf('a'))
    const others = gate()
    const back = permit.pauseDuring(others.opened)
    const next = await fair.acquire(admissionRequestOf('a', { callsOtherServices: true }))
    expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
    others.open()
    next.release()
    await back
    expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
  })

  it('removes a request that is aborted while it waits', async () => {
    const fair = admission({ total: 1 })
    const { order, come, release } = crowd(fair)
    await come('a1')
    const gone = new AbortController()
    const failing = come('b1', gone.signal).catch((error: unknown) => error)
    void come('c1')
    gone.abort(new Error('hung up'))
    expect(await failing).to.include({ message: 'hung up' })
    await release('a1')
    expect(order).to.deep.equal(['a1', 'c1'])
    expect(
      await fair.acquire(admissionRequestOf('d', { signal: gone.signal })).catch((error: unknown) => error),
    ).to.include({
      message: 'hung up',
    })
    await release('c1')
    expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 0 })
  })

  describe('with different amounts per request', () => {
    const bytes = (given: Partial<FairAdmissionOptions> = {}) =>
      admission({ total: 100, share: 60, allowsBorrowing: false, ...given })

    /** Tenants in the order of their admission. */
    function watch(fair: FairAdmission) {
      const admitted: string[] = []
      const come = (tenant: string, amount: number, signal = new AbortController().signal): Promise<Permit> => {
        const coming = fair.acquire(admissionRequestOf(tenant, { signal }), amount)
        void coming.then(
          () => admitted.push(`${tenant} ${amount}`),
          () => undefined,
        )
        return coming
      }
      const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))
      return { admitted, come, yieldToEventLoop }
    }

    it('gives each request the amount that it asks for, and gets the same amount back', async () => {
      const fair = bytes()
      const permit = await fair.acquire(admissionRequestOf('a'), 40)
      await fair.acquire(admissionRequestOf('b'), 60)
      expect(use).to.deep.equal({ taken: 100, waiting: 0, externalCalls: 0 })
      permit.release()
      expect(use).to.deep.equal({ taken: 60, waiting: 0, externalCalls: 0 })
    })

    it('limits a tenant that is alone to its share when nothing is lent', async () => {
      const fair = bytes()
      const { admitted, come, yieldToEventLoop } = watch(fair)
      await come('a', 40)
      void come('a', 40)
      await come('b', 60)
      await yieldToEventLoop()
      expect(admitted).to.deep.equal(['a 40', 'b 60'])
    })

    it('does not let small requests overtake a large one that is next', async () => {
      const { admitted, come, yieldToEventLoop } = watch(bytes({ share: 100 }))
      const first = await come('a', 50)
      const second = await come('b', 40)
      void come('c', 60)
      void come('b', 10)
      void come('d', 10)
      await yieldToEventLoop()
      expect(admitted).to.deep.equal(['a 50', 'b 40'])
      second.release()
      await yieldToEventLoop()
      expect(admitted).to.deep.equal(['a 50', 'b 40'])
      first.release()
      await yieldToEventLoop()
      expect(admitted.slice(2)).to.deep.equal(['c 60', 'd 10', 'b 10'])
    })

    it('admits the requests behind a large one when that one gives up', async () => {
      const { admitted, come, yieldToEventLoop } = watch(bytes({ share: 100 }))
      await come('a', 50)
      const gone = new AbortController()
      const large = come('b', 60, gone.signal).catch(() => undefined)
      void come('c', 10)
      gone.abort(new Error('hung up'))
      await large
      await yieldToEventLoop()
      expect(admitted).to.deep.equal(['a 50', 'c 10'])
    })

    it('gives the amount that a request does not keep to others at once', async () => {
      const { admitted, come, yieldToEventLoop } = watch(bytes())
      const permit = await come('a', 60)
      void come('a', 30)
      permit.shrinkTo(70)
      expect(use).to.deep.equal({ taken: 60, waiting: 1, externalCalls: 0 })
      permit.shrinkTo(30)
      await yieldToEventLoop()
      expect([admitted, use]).to.deep.equal([['a 60', 'a 30'], { taken: 60, waiting: 0, externalCalls: 0 }])
      permit.release()
      permit.release()
      expect(use).to.deep.equal({ taken: 30, waiting: 0, externalCalls: 0 })
    })
  })

  describe('of a request that waits for another service', () => {
    const yieldToEventLoop = () => new Promise((resolve) => setImmediate(resolve))

    it('reuses the permit, and gives one back before new requests, however full the queue is', async () => {
      const fair = admission({ total: 1, queue: 1 })
      const permit = await fair.acquire(admissionRequestOf('a'))
      const externalCalls = gate()
      const back = permit.releaseDuring(externalCalls.opened.then(() => 'answer'))
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 1 })
      const { order, come, release } = crowd(fair)
      await come('a1')
      void come('a2')
      externalCalls.open()
      await until('two requests wait', () => expect(use.waiting).to.equal(2))
      expect(await fair.acquire(admissionRequestOf('a')).catch((error: unknown) => error)).to.include({ status: 429 })
      await release('a1')
      expect(await back).to.equal('answer')
      expect([order, use]).to.deep.equal([['a1'], { taken: 1, waiting: 1, externalCalls: 0 }])
      permit.release()
      await yieldToEventLoop()
      expect(order).to.deep.equal(['a1', 'a2'])
    })

    it('lets it wait to come back until its signal is aborted, and then holds nothing', async () => {
      const fair = admission({ total: 1, waitMs: 5 })
      const over = new AbortController()
      const permit = await fair.acquire(admissionRequestOf('a', { signal: over.signal }))
      const externalCalls = gate()
      const back = permit.releaseDuring(externalCalls.opened).catch((error: unknown) => error)
      const other = await fair.acquire(admissionRequestOf('b'))
      externalCalls.open()
      await until('a request waits', () => expect(use.waiting).to.equal(1))
      // Longer than a new request waits.
      expect(await fair.acquire(admissionRequestOf('b')).catch((error: unknown) => error)).to.include({ status: 429 })
      expect(use).to.deep.equal({ taken: 1, waiting: 1, externalCalls: 1 })
      over.abort(new Error('late'))
      expect(await back).to.include({ message: 'late' })
      permit.release()
      other.release()
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 0 })
    })

    it('fails as its work does, with the permit acquired again', async () => {
      const fair = admission({ total: 1 })
      const permit = await fair.acquire(admissionRequestOf('a'))
      const failure = await permit.releaseDuring(Promise.reject(new Error('away'))).catch((error: unknown) => error)
      expect(failure).to.include({ message: 'away' })
      expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
      permit.release()
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 0 })
    })

    it('readmits it when the last of several calls has ended, with one permit', async () => {
      const fair = admission({ total: 4 })
      const permit = await fair.acquire(admissionRequestOf('a'))
      const [one, two] = [gate(), gate()]
      const both = [permit.releaseDuring(one.opened), permit.releaseDuring(two.opened)]
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 2 })
      one.open()
      await both[0]
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 1 })
      two.open()
      await both[1]
      expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
      permit.release()
      expect(use.taken).to.equal(0)
    })

    it('acquires no permit again when it was released meanwhile', async () => {
      const fair = admission({ total: 1 })
      const permit = await fair.acquire(admissionRequestOf('a'))
      const externalCalls = gate()
      const back = permit.releaseDuring(externalCalls.opened)
      permit.release()
      externalCalls.open()
      await back
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 0 })
    })

    it('delays further such requests of its tenant when too many wait, and lets all others pass', async () => {
      const fair = admission({ total: 4, externalCalls: 2 })
      const externalCalls = gate()
      const waits = [0, 1].map(async () => {
        const permit = await fair.acquire(admissionRequestOf('a', { callsOtherServices: true }))
        await permit.releaseDuring(externalCalls.opened)
        permit.release()
      })
      await until('two requests wait for another service', () => expect(use.externalCalls).to.equal(2))
      const third = fair.acquire(admissionRequestOf('a', { callsOtherServices: true }))
      await yieldToEventLoop()
      expect(use).to.deep.equal({ taken: 0, waiting: 1, externalCalls: 2 })
      ;(await fair.acquire(admissionRequestOf('a'))).release()
      ;(await fair.acquire(admissionRequestOf('b', { callsOtherServices: true }))).release()
      externalCalls.open()
      await Promise.all(waits)
      ;(await third).release()
      expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 0 })
    })
  })

  it('releases a permit once, however often it is asked to', async () => {
    const fair = admission({ total: 1 })
    const permit = await fair.acquire(admissionRequestOf('a'))
    permit.release()
    const next = await fair.acquire(admissionRequestOf('a'))
    permit.release()
    expect(use).to.deep.equal({ taken: 1, waiting: 0, externalCalls: 0 })
    next.release()
    expect(use).to.deep.equal({ taken: 0, waiting: 0, externalCalls: 0 })
  })
})
