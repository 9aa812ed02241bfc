import { expect } from 'chai'
import { mock } from 'node:test'
import { createMemoryCounters, type GatewayRates } from '../../http/limits/counters.js'
import type { RateLimiterOptions } from '../../http/limits/rate-limiter.js'
import { createAdmission } from '../../http/limits/admission.js'
import type { AnyOperation } from '../../http/operation.js'
import { HttpError } from '../../http/errors.js'
import { createClient } from '../support/client.js'
import { gate, until } from '../support/states.js'
import { ADMIN_KEY, echo, fakeRateLimiter, FakeIdentities, startFakeService, type FakeService } from './fake-service.js'
import { RawConnection } from './raw-connection.js'

const NOW = 1_800_000_000_000
const WIDE = { perSecond: 1_000, burst: 1_000 }
const PER_MINUTE = { writes: 3, recalls: 3, bulk: 3, inbox: 3, messages: 3 }

/** Returns `[limit, remaining, reset]` of the headers; null without them. */
function quotaOf({ headers }: { headers: Headers }): number[] | null {
  const values = ['Limit', 'Remaining', 'Reset'].map((part) => headers.get(`X-RateLimit-${part}`))
  return values.every((value) => value === null) ? null : values.map(Number)
}

/** Returns an operation that answers once it is opened. */
function heldEcho() {
  const held = gate()
  const echoed: AnyOperation = async (...input) => {
    await held.opened
    return echo(...input)
  }
  return { held, echoed }
}

describe('the limiters', () => {
  const clock = { time: NOW, now: () => clock.time }
  const identities = new FakeIdentities()
  let service: FakeService | undefined
  let limited: string[]
  let createThing: AnyOperation
  beforeEach(() => {
    clock.time = NOW
    limited = []
    createThing = echo
  })
  afterEach(() => service?.server.stop())

  async function start(
    { limits = PER_MINUTE, ...rates }: Partial<GatewayRates & Pick<RateLimiterOptions, 'limits'>>,
    options: object = {},
  ): Promise<string> {
    const key = identities.mint()
    const counters = createMemoryCounters({ address: WIDE, tenant: WIDE, ...rates })
    const metrics = { limited: (limit: string) => void limited.push(limit), passedUnlimited: () => undefined }
    const given = { counters, metrics, limits }
    const operations = { createThing: ((...input) => createThing(...input)) as AnyOperation }
    const rateLimiter = fakeRateLimiter(clock, given)
    service = await startFakeService({ key, identities, operations, rateLimiter, ...options })
    return key
  }
  const post = (body: unknown = { tenant_id: 'acme', content: 'x' }) => service!.client.post('/api/things', body)
  const client = (key: string | null) => service!.client.as(key)

  describe('the application limiter', () => {
    beforeEach(() => start({}))

    it('counts down on each response, then answers 429 with the limit that was exceeded and Retry-After', async () => {
      const reset = NOW / 1_000 + 60
      for (const remaining of [2, 1, 0]) expect(quotaOf(await post())).to.deep.equal([3, remaining, reset])
      clock.time += 20_500
      const refused = await post()
      expect(refused.status).to.equal(429)
      expect(refused.body.error).to.deep.include({ code: 'RATE_LIMITED' })
      expect(refused.body.error.message).to.match(/^The limit of 3 writes per minute for this key/)
      expect(refused.body.detail).to.equal(refused.body.error.message)
      expect(refused.headers.get('Retry-After')).to.equal('40')
      expect(quotaOf(refused)).to.deep.equal([3, 0, reset])
      expect(limited).to.deep.equal(['writes'])
    })

    it('resets every minute', async () => {
      for (let i = 0; i < 4; i++) await post()
      clock.time = NOW + 59_999
      expect((await post()).status).to.equal(429)
      clock.time = NOW + 60_000
      const answer = await post()
      expect([answer.status, quotaOf(answer)]).to.deep.equal([200, [3, 2, NOW / 1_000 + 120]])
    })

    it('counts each key and each class separately', async () => {
      for (let i = 0; i < 4; i++) await post()
      const other = client(identities.mint())
      expect(quotaOf(await other.post('/api/things', { tenant_id: 'acme', content: 'x' }))![1]).to.equal(2)
      const admin = client(ADMIN_KEY)
      expect(quotaOf(await admin.post('/api/admin/things'))![1]).to.equal(2)
    })

    it('sends the quota on every failure once the key is known, and counts it', async () => {
      expect((await post({ tenant_id: 'acme' })).status).to.equal(422)
      const foreign = await post({ tenant_id: 'globex', content: 'x' })
      expect([foreign.status, quotaOf(foreign)![1]]).to.deep.equal([403, 1])
      createThing = () => Promise.reject(new Error('broken'))
      const broken = await post()
      expect([broken.status, quotaOf(broken)![1]]).to.deep.equal([500, 0])
    })

    it('sends the quota for a body that is too large and for one that is not of type JSON', async () => {
      const large = await post({ tenant_id: 'acme', content: 'x'.repeat(2_000) })
      expect([large.status, quotaOf(large)![1]]).to.deep.equal([413, 2])
      const headers = { 'Content-Type': 'text/plain' }
      const plain = await service!.client.raw('POST', '/api/things', { headers, body: 'x' })
      expect([plain.status, quotaOf(plain)![1]]).to.deep.equal([415, 1])
    })

    it('sends the quota on 503 and 409, and on 403 to a key that is not the admin credential', async () => {
      createThing = () => Promise.reject(new HttpError(503, 'Away.'))
      expect(quotaOf(await post())![1]).to.equal(2)
      createThing = () => Promise.reject(new HttpError(409, 'There.'))
      expect(quotaOf(await post())![1]).to.equal(1)
      const refused = await service!.client.post('/api/admin/things')
      expect([refused.status, quotaOf(refused)]).to.deep.equal([403, [3, 2, NOW / 1_000 + 60]])
    })

    it('sends the quota on 504, and to HEAD', async () => {
      const late: AnyOperation = (_context, _caller, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      await service!.server.stop()
      await start({}, { operations: { late } })
      const answer = await service!.client.get('/api/late')
      expect([answer.status, quotaOf(answer)![1]]).to.deep.equal([504, 2])
      const head = await service!.client.raw('HEAD', '/api/late')
      expect([head.status, quotaOf(head)![1]]).to.deep.equal([504, 1])
    })

    it('sends no quota without an accepted key, nor on routes that it does not count', async () => {
      const nobody = await client(null).post('/api/things', { tenant_id: 'acme', content: 'x' })
      expect([nobody.status, quotaOf(nobody)]).to.deep.equal([401, null])
      const unknownCaller = await client('cairn_no_such').post('/api/things', { tenant_id: 'acme', content: 'x' })
      expect([unknownCaller.status, quotaOf(unknownCaller)]).to.deep.equal([401, null])
      const read = await service!.client.get('/api/things')
      expect([read.status, quotaOf(read)]).to.deep.equal([200, null])
      expect(quotaOf(await post())![1]).to.equal(2)
    })

    it('refuses before the operation runs and the parameters and the body are checked', async () => {
      for (let i = 0; i < 3; i++) await post()
      let ran = false
      createThing = (...input) => {
        ran = true
        return echo(...input)
      }
      expect((await post({ no: 'thing' })).status).to.equal(429)
      expect(ran).to.equal(false)
    })

    it('does not count a replayed answer', async () => {
      createThing = () => Promise.resolve({ status: 200, headers: { 'Idempotent-Replayed': 'true' }, body: {} })
      for (let i = 0; i < 5; i++) expect(quotaOf(await post())![1]).to.equal(3)
      createThing = echo
      expect(quotaOf(await post())![1]).to.equal(2)
    })

    it('uses the tenant’s own limits, 0 included', async () => {
      const ofTenant = (rateLimits: object) => {
        const key = identities.mint({ tenantId: 'globex', rateLimits })
        return client(key).post('/api/things', { tenant_id: 'globex', content: 'x' })
      }
      expect(quotaOf(await ofTenant({ writes: 7 }))!.slice(0, 2)).to.deep.equal([7, 6])
      expect(quotaOf(await ofTenant({ recalls: 7 }))!.slice(0, 2)).to.deep.equal([3, 2])
      const closed = await ofTenant({ writes: 0 })
      expect([closed.status, quotaOf(closed)!.slice(0, 2)]).to.deep.equal([429, [0, 0]])
    })
  })

  describe('the gateway limiter', () => {
    const narrow = { perSecond: 2, burst: 3 }
    beforeEach(() => mock.timers.enable({ apis: ['Date', 'setTimeout'], now: NOW }))
    afterEach(() => mock.timers.reset())

    it('answers 429 without a quota on every route, and lets probes pass', async () => {
      await start({ address: narrow })
      for (let i = 0; i < 3; i++) expect((await client('cairn_no_such').get('/api/things')).status).to.equal(401)
      identities.lookups.length = 0
      const refused = await post()
      expect([refused.status, refused.headers.get('Retry-After'), quotaOf(refused)]).to.deep.equal([429, '1', null])
      expect(refused.body.error).to.deep.equal({ code: 'RATE_LIMITED', message: 'Too many requests.' })
      // No lookup was made for it, and nothing was counted.
      expect(identities.lookups).to.deep.equal([])
      expect((await service!.client.get('/api/probe')).status).to.equal(200)
      mock.timers.tick(1_000)
      for (const remaining of [2, 1]) expect(quotaOf(await post())![1]).to.equal(remaining)
      expect((await service!.client.get('/api/ping')).status).to.equal(429)
      expect(limited).to.deep.equal(['address', 'address'])
    })

    it('limits all keys of a tenant together, and no other tenant', async () => {
      await start({ tenant: narrow })
      for (let i = 0; i < 3; i++) expect((await client(identities.mint()).get('/api/things')).status).to.equal(200)
      const refused = await post()
      expect([refused.status, refused.headers.get('Retry-After'), quotaOf(refused)]).to.deep.equal([429, '1', null])
      const other = client(identities.mint({ tenantId: 'globex' }))
      expect((await other.get('/api/things')).status).to.equal(200)
      mock.timers.tick(1_000)
      // Requests that the gateway refused were not counted.
      expect(quotaOf(await post())![1]).to.equal(2)
      expect(limited).to.deep.equal(['tenant'])
    })

    it('limits the admin credential, which belongs to no tenant, by its address alone', async () => {
      await start({ tenant: narrow })
      const admin = client(ADMIN_KEY)
      for (let i = 0; i < 3; i++) expect((await admin.post('/api/admin/things')).status).to.equal(200)
      const refused = await admin.post('/api/admin/things')
      expect([refused.status, quotaOf(refused)?.slice(0, 2)]).to.deep.equal([429, [3, 0]])
    })

    it('counts by the address that a trusted proxy forwards, and by the proxy’s own where none is trusted', async () => {
      const key = await start({ address: narrow }, { trustProxy: 1 })
      const from = (address: string) => {
        const headers = { 'X-Forwarded-For': address }
        return createClient(`http://127.0.0.1:${service!.port}`, key, { headers, contract: service!.contract })
      }
      for (let i = 0; i < 3; i++) await from(`2001:db8:1:1::${i}`).get('/api/things')
      expect((await from('2001:db8:1:1:ffff::').get('/api/things')).status).to.equal(429)
      expect((await from('2001:db8:1:2::').get('/api/things')).status).to.equal(200)
      await service!.server.stop()

      await start({ address: narrow })
      for (let i = 0; i < 3; i++) await from(`203.0.113.${i}`).get('/api/things')
      expect((await from('203.0.113.9').get('/api/things')).status).to.equal(429)
    })
  })

  describe('fair admission', () => {
    let use = { running: 0, waiting: 0, externalCalls: 0 }
    const metrics = { limited: () => undefined, admission: (now: typeof use) => void (use = now) }
    const admission = (tenantQueue = 10) =>
      createAdmission({ permits: 2, tenantPermits: 1, tenantQueue, networkMs: () => 0, metrics })
    const wide = { limits: { writes: 100, recalls: 100, bulk: 100, inbox: 100, messages: 100 } }

    it('keeps a tenant’s excess requests waiting while another tenant is served', async () => {
      await start(wide, { admission: admission() })
      const neighbour = client(identities.mint({ tenantId: 'globex' }))
      expect((await neighbour.get('/api/things')).status).to.equal(200)
      const { held, echoed } = heldEcho()
      createThing = echoed
      const flood = [post(), post(), post()]
      await until('two requests wait', () => expect(use.waiting).to.equal(2))
      expect(use.running).to.equal(1)
      expect((await neighbour.get('/api/things')).status).to.equal(200)
      held.open()
      expect((await Promise.all(flood)).map(({ status }) => status)).to.deep.equal([200, 200, 200])
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
    })

    it('admits the admin credential for a tenant whose queue is full', async () => {
      await start(wide, { admission: admission(2) })
      expect((await client(identities.mint({ tenantId: 'globex' })).get('/api/things')).status).to.equal(200)
      const { held, echoed } = heldEcho()
      createThing = echoed
      const flood = [post(), post(), post()]
      await until('two requests wait', () => expect(use.waiting).to.equal(2))
      expect((await post()).status).to.equal(429)
      expect((await client(ADMIN_KEY).get('/api/things', { tenant_id: 'acme' })).status).to.equal(200)
      expect(use).to.deep.equal({ running: 1, waiting: 2, externalCalls: 0 })
      held.open()
      await Promise.all(flood)
    })

    it('does not let bulk writes delay the tenant’s other requests', async () => {
      const { held, echoed: bulkThings } = heldEcho()
      await start(wide, { admission: admission(), operations: { bulkThings } })
      await client(identities.mint({ tenantId: 'globex' })).get('/api/things')
      const bulk = [service!.client.post('/api/bulk'), service!.client.post('/api/bulk')]
      await until('a request waits', () => expect(use.waiting).to.equal(1))
      expect((await post()).status).to.equal(200)
      held.open()
      expect((await Promise.all(bulk)).map(({ status }) => status)).to.deep.equal([200, 200])
    })

    it('answers 429 with the quota when the tenant’s queue is full', async () => {
      await start(wide, { admission: admission(0) })
      const { held, echoed } = heldEcho()
      createThing = echoed
      const atWork = [post(), post()]
      await until('two requests run', () => expect(use.running).to.equal(2))
      const refused = await post()
      expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([429, '1'])
      expect(refused.body.error.message).to.match(/Too many requests wait for/)
      expect(quotaOf(refused)!.slice(0, 2)).to.deep.equal([100, 97])
      held.open()
      await Promise.all(atWork)
    })

    it('releases the permit of an operation that fails, however it fails', async () => {
      await start(wide, { admission: admission() })
      createThing = () => Promise.reject(new Error('broken'))
      for (let i = 0; i < 3; i++) expect((await post()).status).to.equal(500)
      createThing = () => {
        throw new Error('broken at once')
      }
      for (let i = 0; i < 3; i++) expect((await post()).status).to.equal(500)
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
    })

    it('admits the next request while an operation waits for another service, and readmits it before new requests', async () => {
      await start(wide, { admission: admission() })
      await client(identities.mint({ tenantId: 'globex' })).get('/api/things')
      const held = gate()
      const order: string[] = []
      createThing = async (context, caller, input) => {
        await input.externalCalls.waitFor(held.opened)
        order.push('back')
        return echo(context, caller, input)
      }
      const externalCalls = [post(), post(), post(), post()]
      await until('four requests wait for another service', () => expect(use.externalCalls).to.equal(4))
      expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 4 })
      const working = heldEcho()
      createThing = (...input) => {
        order.push('new')
        return working.echoed(...input)
      }
      const inside = [post(), post()]
      await until('a request waits', () => expect(use.waiting).to.equal(1))
      held.open()
      await until('five requests wait', () => expect(use.waiting).to.equal(5))
      working.held.open()
      expect((await Promise.all([...externalCalls, ...inside])).map(({ status }) => status)).to.deep.equal(
        Array(6).fill(200),
      )
      expect(order).to.deep.equal(['new', 'back', 'back', 'back', 'back', 'new'])
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
    })

    it('keeps the permit of an operation while it does work of its own during a call', async () => {
      await start(wide, { admission: admission() })
      const [call, own] = [gate(), gate()]
      createThing = async (context, caller, input) => {
        const [first, second] = await input.externalCalls.run(
          () => call.opened.then(() => 'called'),
          () => own.opened.then(() => 'done'),
        )
        return echo(context, caller, { ...input, body: { first, second } })
      }
      const answer = post()
      await until('a request runs', () => expect(use.running).to.equal(1))
      own.open()
      await until('a request waits for another service', () => expect(use.externalCalls).to.equal(1))
      expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 1 })
      call.open()
      expect((await answer).body.body).to.deep.equal({ first: 'called', second: 'done' })
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
    })

    it('releases nothing twice when the other service fails, the caller disconnects or the deadline passes', async () => {
      const key = await start(wide, { admission: admission() })
      const waits = gate()
      createThing = (_context, _caller, input) =>
        input.externalCalls.waitFor(waits.opened.then(() => Promise.reject(new Error('x'))))
      const failing = post()
      await until('a request waits for another service', () => expect(use.externalCalls).to.equal(1))
      const body = '{"tenant_id":"acme","content":"x"}'
      const head = ['Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
      const connection = await RawConnection.open(service!.port)
      connection.send('POST /api/things HTTP/1.1', ...head, '', body)
      await until('two requests wait for another service', () => expect(use.externalCalls).to.equal(2))
      connection.close()
      await until('a request is logged', () => expect(service!.requests.length).to.equal(1))
      expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 2 })
      waits.open()
      expect((await failing).status).to.equal(500)
      await until('no request waits for another service', () => expect(use.externalCalls).to.equal(0))
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
      createThing = echo
      for (let i = 0; i < 3; i++) expect((await post()).status).to.equal(200)
    })

    it('releases the permit of a caller that disconnects: at once while it waits, with its work afterwards', async () => {
      const key = await start(wide, { admission: admission() })
      const { held, echoed } = heldEcho()
      createThing = echoed
      const body = '{"tenant_id":"acme","content":"x"}'
      const head = ['Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json', `Content-Length: ${body.length}`]
      const connections = []
      for (let i = 0; i < 3; i++) {
        const connection = await RawConnection.open(service!.port)
        connection.send('POST /api/things HTTP/1.1', ...head, '', body)
        connections.push(connection)
        await until('the next request has arrived', () => expect(use.running + use.waiting).to.equal(i + 1))
      }
      expect(use).to.deep.equal({ running: 2, waiting: 1, externalCalls: 0 })
      connections[2]!.close()
      await until('no request waits', () => expect(use.waiting).to.equal(0))
      connections[1]!.close()
      await until('two requests are logged', () => expect(service!.requests.length).to.equal(2))
      expect(use.running).to.equal(2)
      held.open()
      await until('no request runs', () => expect(use.running).to.equal(0))
      connections[0]!.close()
    })
  })
})
