import { expect } from 'chai'
import { FairAdmission, type FairAdmissionOptions, type Place } from '../../../api/limits/fair-admission.js'
import type { CairnError } from '../../../runtime/errors.js'
import { until } from '../../support/states.js'

describe('fair admission', () => {
  let time: number
  let use: { running: number; waiting: number }
  let refused: string[]
  const never = new AbortController().signal
  beforeEach(() => {
    time = 1_000_000
    use = { running: 0, waiting: 0 }
    refused = []
  })

  function admission(given: Partial<FairAdmissionOptions> = {}): FairAdmission {
    const metrics = {
      limited: (limit: string) => void refused.push(limit),
      admission: (now: typeof use) => void (use = now),
    }
    return new FairAdmission({ places: 4, tenantPlaces: 1, tenantQueue: 100, metrics, now: () => time, ...given })
  }

  /** Asks for places one after the other; `order` tells who has got one, and `places` are theirs. */
  function crowd(fair: FairAdmission) {
    const order: string[] = []
    const places = new Map<string, Place>()
    async function come(name: string, signal = never): Promise<void> {
      places.set(name, await fair.enter(name[0]!, signal))
      order.push(name)
    }
    async function leave(name: string): Promise<void> {
      places.get(name)!.leave()
      // Whoever is admitted goes on in the next turn.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { order, come, leave }
  }

  it('gives a tenant every place while it is alone', async () => {
    const fair = admission()
    for (let i = 0; i < 4; i++) await fair.enter('a', never)
    void fair.enter('a', never)
    expect(use).to.deep.equal({ running: 4, waiting: 1 })
  })

  it('gives a tenant its share while others call, and every place again when they have not for ten seconds', async () => {
    const fair = admission()
    ;(await fair.enter('b', never)).leave()
    const { order, come, leave } = crowd(fair)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void come(name)
    await until(() => order.length > 0)
    expect([order, use]).to.deep.equal([['a1'], { running: 1, waiting: 4 }])
    time += 10_001
    await leave('a1')
    expect(order).to.deep.equal(['a1', 'a2', 'a3', 'a4', 'a5'])
  })

  it('gives a free place to whoever has the fewest, before those who came earlier', async () => {
    const fair = admission({ tenantPlaces: 4 })
    const { order, come, leave } = crowd(fair)
    for (const name of ['a1', 'a2', 'a3', 'a4']) await come(name)
    for (const name of ['a5', 'a6', 'a7', 'b1', 'b2', 'c1']) void come(name)
    await leave('a1')
    await leave('a2')
    await leave('c1')
    expect(order.slice(4)).to.deep.equal(['b1', 'c1', 'b2'])
  })

  it('serves equals in turn', async () => {
    const fair = admission({ places: 1 })
    const { order, come, leave } = crowd(fair)
    await come('a1')
    for (const name of ['a2', 'a3', 'b1', 'b2', 'c1']) void come(name)
    for (let i = 0; i < 5; i++) await leave(order.at(-1)!)
    expect(order).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('does not let bulk writes of a tenant stand in the way of its other requests, nor of its neighbour', async () => {
    const fair = admission()
    ;(await fair.enter('b', never)).leave()
    const bulk = await fair.enter('a', never, true)
    void fair.enter('a', never, true)
    ;(await fair.enter('a', never)).leave()
    ;(await fair.enter('b', never)).leave()
    expect(use).to.deep.equal({ running: 1, waiting: 1 })
    time += 10_001
    bulk.leave()
    expect(use).to.deep.equal({ running: 1, waiting: 0 })
    await fair.enter('a', never)
    await fair.enter('a', never)
    expect(use).to.deep.equal({ running: 3, waiting: 0 })
  })

  it('refuses with 429 what is beyond the queue of one tenant, and nobody else', async () => {
    const fair = admission({ places: 1, tenantQueue: 2 })
    await fair.enter('a', never)
    void fair.enter('a', never)
    void fair.enter('a', never)
    const failure = await fair.enter('a', never).catch((error: unknown) => error as CairnError)
    expect(failure).to.include({ status: 429 })
    expect((failure as CairnError).headers).to.deep.equal({ 'Retry-After': '1' })
    void fair.enter('b', never)
    expect(use).to.deep.equal({ running: 1, waiting: 3 })
    expect(refused).to.deep.equal(['concurrency'])
  })

  it('refuses with 503 whose turn does not come', async () => {
    const fair = admission({ places: 1, waitMs: 5 })
    await fair.enter('a', never)
    expect(await fair.enter('b', never).catch((error: unknown) => error)).to.include({ status: 503 })
    expect(use).to.deep.equal({ running: 1, waiting: 0 })
  })

  it('forgets a request that is aborted while it waits', async () => {
    const fair = admission({ places: 1 })
    const { order, come, leave } = crowd(fair)
    await come('a1')
    const gone = new AbortController()
    const failing = come('b1', gone.signal).catch((error: unknown) => error)
    void come('c1')
    gone.abort(new Error('hung up'))
    expect(await failing).to.include({ message: 'hung up' })
    await leave('a1')
    expect(order).to.deep.equal(['a1', 'c1'])
    expect(await fair.enter('d', gone.signal).catch((error: unknown) => error)).to.include({ message: 'hung up' })
    await leave('c1')
    expect(use).to.deep.equal({ running: 0, waiting: 0 })
  })

  it('takes a place back once, however often it is left', async () => {
    const fair = admission({ places: 1 })
    const place = await fair.enter('a', never)
    place.leave()
    const next = await fair.enter('a', never)
    place.leave()
    expect(use).to.deep.equal({ running: 1, waiting: 0 })
    next.leave()
    expect(use).to.deep.equal({ running: 0, waiting: 0 })
  })
})
