import { expect } from 'chai'
import { createAdmission } from '../../http/limits/admission.js'
import { FairAdmission } from '../../http/limits/fair-admission.js'
import type { AnyOperation } from '../../http/operation.js'
import { gate, until } from '../support/states.js'
import { echo, FakeIdentities, type FakeService, startFakeService } from './fake-service.js'
import { RawConnection } from './raw-connection.js'

describe('callers without a key', () => {
  const identities = new FakeIdentities()
  const [acme, globex] = [identities.mint(), identities.mint({ tenantId: 'globex' })]
  let use = { running: 0, waiting: 0 }
  let held: ReturnType<typeof gate<void>>
  let service: FakeService

  beforeEach(async () => {
    held = gate()
    const hold: AnyOperation = async (...input) => {
      await held.opened
      return echo(...input)
    }
    service = await startFakeService({
      identities,
      operations: { ping: hold, getThing: hold },
      admission: createAdmission({
        permits: 3,
        tenantPermits: 1,
        tenantQueue: 2,
        networkMs: () => 0,
        metrics: { limited: () => undefined, admission: ({ running, waiting }) => void (use = { running, waiting }) },
      }),
    })
  })
  afterEach(async () => {
    held.open()
    await service.server.stop()
  })

  const statusOf = async (path: string, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'X-API-Key': key }
    return (await fetch(`http://127.0.0.1:${service.port}${path}`, { headers })).status
  }

  it('share one permit beside a tenant, which does not wait for them, and probes wait for nobody', async () => {
    expect(await statusOf('/api/things', acme)).to.equal(200)
    const flood = [1, 2, 3].map(() => statusOf('/api/ping'))
    await until('two wait', () => expect(use).to.deep.equal({ running: 1, waiting: 2 }))
    expect(await statusOf('/api/things', acme)).to.equal(200)
    expect(await statusOf('/api/probe')).to.equal(200)
    held.open()
    expect(await Promise.all(flood)).to.deep.equal([200, 200, 200])
  })

  for (const [what, path, key] of [
    ['an unknown path', '/api/nothing', undefined],
    ['no key', '/api/things', undefined],
    ['a wrong key', '/api/things', 'cairn_unknown_0123456789012345678901234'],
  ] as const)
    it(`are refused in their turn: ${what}`, async () => {
      await statusOf('/api/things', acme)
      const working = statusOf('/api/ping')
      await until('one works', () => expect(use).to.deep.equal({ running: 1, waiting: 0 }))
      const refused = [statusOf(path, key), statusOf(path, key)]
      await until('the refusals wait', () => expect(use).to.deep.equal({ running: 1, waiting: 2 }))
      expect(await statusOf(path, key)).to.equal(429)
      held.open()
      expect(await working).to.equal(200)
      expect(await Promise.all(refused)).to.deep.equal(path === '/api/nothing' ? [404, 404] : [401, 401])
    })

  it('keep no tenant from borrowing what nobody uses', async () => {
    const keyless = statusOf('/api/ping')
    await until('it works', () => expect(use.running).to.equal(1))
    const busy = [1, 2].map(() => statusOf('/api/things/1', globex))
    await until('the tenant has both other permits', () => expect(use).to.deep.equal({ running: 3, waiting: 0 }))
    held.open()
    expect(await Promise.all([keyless, ...busy])).to.deep.equal([200, 200, 200])
  })

  it('are told when to come again where too many of them wait', async () => {
    await statusOf('/api/things', acme)
    const flood = [1, 2, 3].map(() => statusOf('/api/ping'))
    await until('the queue is full', () => expect(use).to.deep.equal({ running: 1, waiting: 2 }))
    for (const path of ['/api/ping', '/api/things', '/api/nothing']) {
      const refused = await fetch(`http://127.0.0.1:${service.port}${path}`)
      expect([refused.status, refused.headers.get('retry-after')], path).to.deep.equal([429, '1'])
      expect(await refused.json(), path).to.have.nested.property('error.code', 'RATE_LIMITED')
    }
    held.open()
    expect(await Promise.all(flood)).to.deep.equal([200, 200, 200])
  })
})

describe('callers without a key, while a tenant holds every permit', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  let use = { taken: 0, waiting: 0 }
  let held: ReturnType<typeof gate<void>>
  let service: FakeService
  let working: Promise<{ readonly status: number }>
  afterEach(async () => {
    held.open()
    await service.server.stop()
  })

  /** Has a tenant work under the one permit. */
  async function occupy(waitMs: number): Promise<void> {
    held = gate()
    const getThing: AnyOperation = async (...input) => {
      await held.opened
      return echo(...input)
    }
    const metrics = { limited: () => undefined, admission: () => undefined }
    const admission = createAdmission({ permits: 1, tenantPermits: 1, tenantQueue: 2, networkMs: () => 0, metrics })!
    const permits = new FairAdmission({
      ...{ total: 1, share: 1, allowsBorrowing: true, queue: 2, waitsFor: 'others', waitMs },
      onUse: ({ taken, waiting }) => void (use = { taken, waiting }),
      onRefusal: () => undefined,
    })
    const operations = { getThing }
    service = await startFakeService({ key, identities, operations, admission: { ...admission, permits } })
    working = service.client.get('/api/things/1?tenant_id=acme')
    await until('the tenant works', () => expect(use).to.deep.equal({ taken: 1, waiting: 0 }))
  }

  it('are told 503 with Retry-After when they have waited too long, and the tenant is answered', async () => {
    await occupy(5)
    for (const path of ['/api/ping', '/api/things', '/api/nothing']) {
      const refused = await fetch(`http://127.0.0.1:${service.port}${path}`)
      expect([refused.status, refused.headers.get('retry-after')], path).to.deep.equal([503, '1'])
    }
    held.open()
    expect((await working).status).to.equal(200)
  })

  it('leave their place when they go away while their refusal waits', async () => {
    await occupy(Infinity)
    const leaving = await RawConnection.open(service.port)
    leaving.send('GET /api/things HTTP/1.1', 'Host: x', '', '')
    await until('its refusal waits', () => expect(use).to.deep.equal({ taken: 1, waiting: 1 }))
    leaving.close()
    await until('none waits', () => expect(use).to.deep.equal({ taken: 1, waiting: 0 }))
    const left = { operationId: 'listThings', status: 499 }
    await until('it is noted', () => expect(service.requests).to.deep.include(left))
    held.open()
    expect((await working).status).to.equal(200)
    await until('nothing is held', () => expect(use).to.deep.equal({ taken: 0, waiting: 0 }))
  })
})
