import { expect } from 'chai'
import { Contract } from '../../http/validation/contract.js'
import type { OpenapiDocument } from '../../contract/openapi-types.js'
import type { Principal } from '../../domain/principal.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Client } from '../support/client.js'
import { ADMIN_KEY, FakeIdentities, startFakeService, thingsDocument, type FakeService } from './fake-service.js'
import { parseAnswer, RawConnection } from './raw-connection.js'
import { until } from '../support/states.js'

describe('authentication', () => {
  let identities: FakeIdentities
  let service: FakeService

  beforeEach(async () => {
    identities = new FakeIdentities()
    service = await startFakeService({ identities })
  })
  afterEach(() => service.server.stop())

  const as = (key: string | null): Client => service.client.as(key)
  const ask = (key: string | null, agent?: string) =>
    as(key).raw('GET', '/api/things', agent === undefined ? {} : { headers: { 'X-Agent-ID': agent } })
  const write = (key: string | null, tenantId = 'acme') =>
    as(key).post('/api/things', { tenant_id: tenantId, content: 'x' })

  async function callerOf(key: string, agent?: string): Promise<Principal> {
    const { status, body } = await ask(key, agent)
    expect(status).to.equal(200)
    return body.caller as Principal
  }

  describe('a key', () => {
    it('is not required on public routes, and is not looked up when one is sent', async () => {
      expect((await as(null).get('/api/ping')).body.caller).to.equal(null)
      expect((await as('nonsense').get('/api/ping')).status).to.equal(200)
      expect(identities.lookups).to.deep.equal([])
    })

    it('is accepted in the form in which it was minted', async () => {
      const key = identities.mint({ fleetId: 'red' })
      const { keyId, ...caller } = await callerOf(key)
      expect(keyId).to.equal(key.split('_')[1])
      expect(caller).to.deep.equal({
        tenantId: 'acme',
        kind: 'tenant',
        agentId: null,
        fleetId: 'red',
        trust: 2,
        fleetless: false,
      })
    })

    it('is refused with 401 when it is missing, malformed, unknown, or has another secret', async () => {
      const key = identities.mint()
      const refused = [
        null,
        '',
        'nonsense',
        key.slice(0, -1),
        `${key}x`,
        new FakeIdentities().mint(),
        key.replace('cairn', 'other'),
      ]
      for (const wrong of refused) {
        const { status, body } = await ask(wrong)
        expect([status, body.error.code], String(wrong)).to.deep.equal([401, 'UNAUTHORIZED'])
      }
    })

    it('is refused with 401 when it is revoked or has expired', async () => {
      const expiresAt = new Date(service.clock.time + 1)
      const [revoked, expiring] = [identities.mint({ revokedAt: new Date() }), identities.mint({ expiresAt })]
      expect((await ask(revoked)).status).to.equal(401)
      expect((await ask(expiring)).status).to.equal(200)
      service.clock.time += 1
      expect((await ask(expiring)).status).to.equal(401)
    })

    describe('as Authorization: Bearer', () => {
      const send = (headers: Record<string, string>) => as(null).raw('GET', '/api/things', { headers })

      it('is accepted as the same key', async () => {
        const key = identities.mint({ fleetId: 'red' })
        for (const scheme of ['Bearer', 'bearer', 'BEARER '])
          expect((await send({ Authorization: `${scheme} ${key}` })).body.caller).to.include({ fleetId: 'red' })
        const admin = { Authorization: `Bearer ${ADMIN_KEY}` }
        expect((await as(null).raw('POST', '/api/admin/things', { headers: admin })).status).to.equal(200)
      })

      it('may be sent beside X-API-Key when both are the same, and is refused with 401 when they differ', async () => {
        const [key, other] = [identities.mint(), identities.mint()]
        expect((await send({ Authorization: `Bearer ${key}`, 'X-API-Key': key })).status).to.equal(200)
        for (const [bearer, own] of [
          [key, other],
          ['', key],
          [key, ''],
          [ADMIN_KEY, key],
        ] as const) {
          const { status, body } = await send({ Authorization: `Bearer ${bearer}`, 'X-API-Key': own })
          expect([status, body.error.code]).to.deep.equal([401, 'UNAUTHORIZED'])
        }
      })

      it('is refused like any other key, and other schemes are ignored', async () => {
        const key = identities.mint()
        for (const value of [`Bearer ${key}x`, 'Bearer', `Bearer${key}`, `Basic ${key}`, key])
          expect((await send({ Authorization: value })).status, value).to.equal(401)
        expect((await send({ Authorization: 'Basic YTpi', 'X-API-Key': key })).status).to.equal(200)
      })

      it('is refused with 401 when its header is sent twice with different keys', async () => {
        const [key, other] = [identities.mint(), identities.mint()]
        for (const [first, second] of [
          [key, other],
          [other, key],
        ]) {
          const connection = await RawConnection.open(service.port)
          const twice = [`Authorization: Bearer ${first}`, `Authorization: Bearer ${second}`]
          connection.send('GET /api/things HTTP/1.1', 'Host: x', ...twice, 'Connection: close', '', '')
          expect(parseAnswer(await connection.ended()).status).to.equal(401)
        }
      })
    })

    it('is checked before the body', async () => {
      const { status } = await as(null).raw('POST', '/api/things', {
        body: 'not json',
        headers: { 'Content-Type': 'text/plain' },
      })
      expect(status).to.equal(401)
    })

    it('answers 503, never 401, when it cannot be looked up', async () => {
      identities.before = () => Promise.reject(new UnavailableError('postgres'))
      expect((await ask(identities.mint())).status).to.equal(503)
      identities.before = () => Promise.resolve()
      expect((await ask(identities.mint())).status).to.equal(200)
    })
  })

  describe('cached identities', () => {
    it('are looked up once a second, however many requests need them', async () => {
      const key = identities.mint()
      await Promise.all(Array.from({ length: 20 }, () => ask(key)))
      service.clock.time += 999
      await ask(key)
      expect(identities.lookups).to.have.length(1)
      service.clock.time += 1
      await ask(key)
      expect(identities.lookups).to.have.length(2)
    })

    it('never outlive a revocation by more than a second', async () => {
      const key = identities.mint()
      expect((await ask(key)).status).to.equal(200)
      identities.revokeAll()
      expect((await ask(key)).status).to.equal(200)
      service.clock.time += 1_000
      expect((await ask(key)).status).to.equal(401)
    })

    it('expire a second after the start of their lookup, however long that takes', async () => {
      const key = identities.mint()
      let release = (): void => undefined
      identities.before = () => new Promise((resolve) => (release = resolve))
      const first = ask(key)
      await until('the identity is looked up', () => expect(identities.lookups.length).to.equal(1))
      service.clock.time += 1_000
      const second = ask(key)
      const releaseFirst = release
      await until('it is looked up again', () => expect(identities.lookups.length).to.equal(2))
      releaseFirst()
      release()
      expect([(await first).status, (await second).status]).to.deep.equal([200, 200])
    })

    it('do not include an unknown agent, which the next request may register', async () => {
      const key = identities.mint()
      expect((await ask(key, 'scout')).status).to.equal(403)
      identities.register('scout')
      expect((await ask(key, 'scout')).status).to.equal(200)
    })

    it('are cleared in a process that changes keys or agents', async () => {
      const key = identities.mint()
      await ask(key)
      identities.revokeAll()
      expect((await as(ADMIN_KEY).post('/api/admin/keys')).status).to.equal(204)
      expect((await ask(key)).status).to.equal(401)
    })

    it('do not last longer when the clock is set back', async () => {
      const key = identities.mint()
      await ask(key)
      identities.revokeAll()
      service.clock.time -= 5_000
      expect((await ask(key)).status).to.equal(401)
    })
  })

  describe('X-Agent-ID', () => {
    it('with an agent key may name the bound agent and no other', async () => {
      const key = identities.mint({ kind: 'agent', agentId: 'scout', fleetId: 'red', trust: 1 })
      for (const agent of [undefined, 'scout']) {
        const { agentId, fleetId, trust, fleetless } = await callerOf(key, agent)
        expect([agentId, fleetId, trust, fleetless]).to.deep.equal(['scout', 'red', 1, false])
      }
      identities.register('other')
      expect((await ask(key, 'other')).status).to.equal(403)
    })

    it('with a tenant key names a registered agent, whose fleet and lower trust then apply', async () => {
      const key = identities.mint({ fleetId: 'red', trust: 2 })
      identities.register('scout', { fleetId: 'blue', trust: 1 })
      identities.register('chief', { trust: 3 })
      expect(await callerOf(key, 'scout')).to.include({ agentId: 'scout', fleetId: 'blue', trust: 1, kind: 'tenant' })
      expect(await callerOf(key, 'chief')).to.include({ agentId: 'chief', fleetId: null, trust: 2, fleetless: false })
      expect((await ask(key, 'nobody')).status).to.equal(403)
    })

    it('with a tenant key of a fleet below trust 2 names only agents of that fleet, or agents without one', async () => {
      const agents = { own: 'red', none: null, foreign: 'blue' }
      for (const [agent, fleetId] of Object.entries(agents)) identities.register(agent, { fleetId })
      const named = async (key: string) => {
        const statuses = []
        for (const agent of Object.keys(agents)) statuses.push((await ask(key, agent)).status)
        return statuses
      }
      const weak = identities.mint({ fleetId: 'red', trust: 1 })
      expect(await named(weak)).to.deep.equal([200, 200, 403])
      expect((await ask(weak, 'foreign')).body.error.details).to.deep.equal({
        required_trust_level: 2,
        caller_trust_level: 1,
      })
      expect(await named(identities.mint({ fleetId: 'red', trust: 2 }))).to.deep.equal([200, 200, 200])
      expect(await named(identities.mint({ trust: 1 }))).to.deep.equal([200, 200, 200])
    })

    it('with the key of another tenant names no agent', async () => {
      identities.register('scout')
      expect((await ask(identities.mint({ tenantId: 'other' }), 'scout')).status).to.equal(403)
    })

    it('may be omitted with a fleetless tenant key, which then acts in every fleet', async () => {
      expect(await callerOf(identities.mint())).to.include({ agentId: null, fleetId: null, fleetless: true })
    })
  })

  describe('tenant_id', () => {
    it('must be the tenant of the key, in the query and in the body', async () => {
      const key = identities.mint()
      expect((await as(key).get('/api/things', { tenant_id: 'acme' })).status).to.equal(200)
      expect((await write(key)).status).to.equal(200)
      identities.mint({ tenantId: 'other' })
      const strays = [
        await as(key).get('/api/things', { tenant_id: 'other' }),
        await as(key).post('/api/things', { tenant_id: 'nowhere', content: 'x' }),
      ]
      for (const { status, body } of strays)
        expect([status, body.error.details]).to.deep.equal([403, { tenant_id: 'acme' }])
      expect((await write(key, 'other')).status).to.equal(403)
    })

    it('is required with the admin credential, which acts with trust 3 in that tenant', async () => {
      identities.mint()
      const admin = as(ADMIN_KEY)
      const { body } = await admin.get('/api/things', { tenant_id: 'acme' })
      const operator = {
        tenantId: 'acme',
        kind: 'admin',
        keyId: null,
        agentId: null,
        fleetId: null,
        trust: 3,
        fleetless: true,
      }
      expect(body.caller).to.deep.equal(operator)
      expect((await write(ADMIN_KEY)).body.caller).to.deep.equal(operator)
    })

    it('answers 422 when the admin credential omits it, and 404 when the tenant does not exist', async () => {
      const missing = async (answer: Promise<{ status: number; body: { detail: { loc: string[] }[] } }>) => {
        const { status, body } = await answer
        return [status, body.detail[0]?.loc.join('.')]
      }
      expect(await missing(as(ADMIN_KEY).get('/api/things'))).to.deep.equal([422, 'query.tenant_id'])
      expect(await missing(as(ADMIN_KEY).put('/api/things/a', {}))).to.deep.equal([422, 'body.tenant_id'])
      expect((await as(ADMIN_KEY).get('/api/things', { tenant_id: 'nowhere' })).status).to.equal(404)
    })

    it('of the admin credential must be the same in the query and in the body', async () => {
      identities.mint()
      identities.mint({ tenantId: 'other' })
      const put = (query: string, body: object) => as(ADMIN_KEY).put(`/api/things/a${query}`, body)
      expect((await put('?tenant_id=acme', {})).status).to.equal(200)
      expect((await put('?tenant_id=acme', { tenant_id: 'acme' })).status).to.equal(200)
      expect((await put('?tenant_id=acme', { tenant_id: 'other' })).status).to.equal(422)
    })

    it('is not derived from an agent: the admin credential cannot act for one', async () => {
      identities.mint()
      identities.register('scout')
      const headers = { 'X-Agent-ID': 'scout' }
      expect((await as(ADMIN_KEY).raw('GET', '/api/things?tenant_id=acme', { headers })).status).to.equal(403)
    })
  })

  describe('the routes of the admin credential', () => {
    it('answer 401 without a key and with an unknown one, and 403 with any other key, whatever its trust', async () => {
      const post = (key: string | null) => as(key).post('/api/admin/things')
      expect((await post(ADMIN_KEY)).body.caller).to.equal(null)
      expect((await post(null)).status).to.equal(401)
      expect((await post('nonsense')).status).to.equal(401)
      expect((await post(identities.mint({ trust: 3 }))).status).to.equal(403)
    })

    it('accept nobody when no admin credential is configured', async () => {
      const closed = await startFakeService({ identities, adminKey: null })
      expect((await closed.client.as(ADMIN_KEY).post('/api/admin/things')).status).to.equal(401)
      expect((await closed.client.as('').post('/api/admin/things')).status).to.equal(401)
      await closed.server.stop()
    })
  })

  describe('the trust that an operation requires', () => {
    it('admits callers who have it, and tells the others both levels before their body is read', async () => {
      expect((await write(identities.mint({ trust: 1 }))).status).to.equal(200)
      const restricted = as(identities.mint({ kind: 'agent', agentId: 'scout', trust: 0 }))
      expect((await restricted.get('/api/things')).status).to.equal(200)
      const { status, body } = await restricted.raw('POST', '/api/things', { body: 'not json' })
      expect([status, body.error.code]).to.deep.equal([403, 'FORBIDDEN'])
      expect(body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
    })

    it('is required of the acting agent, not of the key alone', async () => {
      identities.register('newcomer', { trust: 0 })
      const body = JSON.stringify({ tenant_id: 'acme', content: 'x' })
      const headers = { 'X-Agent-ID': 'newcomer', 'Content-Type': 'application/json' }
      expect((await as(identities.mint({ trust: 3 })).raw('POST', '/api/things', { body, headers })).status).to.equal(
        403,
      )
    })
  })
})

describe('a contract that does not say who may call', () => {
  function opening(
    change: (document: { security?: unknown; paths: Record<string, Record<string, { security?: unknown }>> }) => void,
  ) {
    const document = structuredClone(thingsDocument()) as never
    change(document)
    return () => new Contract(document as OpenapiDocument)
  }

  const careless: [name: string, security: unknown][] = [
    ['with an unknown scheme', [{ oauth: [] }]],
    ['with two schemes at once', [{ apiKey: [], adminKey: [] }]],
    ['with two headers at once', [{ apiKey: [], bearerKey: [] }]],
    ['with a choice of keys', [{ apiKey: [] }, { adminKey: [] }]],
    ['with a choice of keys in two headers', [{ adminKey: [] }, { bearerKey: [] }]],
    ['with an anonymous choice', [{ apiKey: [] }, {}]],
    ['with an empty requirement', [{}]],
    ['with a name that only looks like public', [{ public: [] }]],
  ]
  for (const [name, security] of careless) {
    it(`is refused ${name}`, () => {
      const open = opening(({ paths }) => (paths['/api/ping']!.get!.security = security))
      expect(open).to.throw('ping: unknown security')
    })
  }

  it('is refused without any security', () => {
    expect(opening((document) => delete document.security)).to.throw('unknown security null')
  })

  it('is accepted with one kind of key in either header', () => {
    const either = [{ adminKey: [] }, { bearerAdminKey: [] }]
    const { routes } = opening(({ paths }) => (paths['/api/ping']!.get!.security = either))()
    expect(routes.find(({ operationId }) => operationId === 'ping')!.security).to.equal('adminKey')
  })

  it('is accepted with known security schemes', () => {
    expect(opening(() => undefined)().routes.map(({ security }) => security)).to.include.members([
      'public',
      'apiKey',
      'adminKey',
    ])
  })
})
