import { expect } from 'chai'
import { Authenticator } from '../../http/auth.js'
import { cairnContract } from '../../http/validation/contract.js'
import type { Route } from '../../http/validation/routes.js'
import type { AnyOperation } from '../../http/operation.js'
import { type Admission, createAdmission } from '../../http/limits/admission.js'
import type { Principal } from '../../domain/principal.js'
import type { Credential } from '../../store/tenants/credentials.js'
import { validRequest, type ValidRequest } from '../support/valid-request.js'
import { until } from '../support/states.js'
import { ADMIN_KEY, FakeIdentities, startFakeService, type FakeService } from './fake-service.js'
import { parseAnswer, RawConnection } from './raw-connection.js'

/** The real transport over the real contract; each operation returns the principal that it ran for. */
describe('a key that changes during its request', () => {
  const contract = cairnContract()
  const routes = contract.routes.filter(({ security }) => security === 'apiKey')
  const withBody = routes.filter(({ takesBody }) => takesBody)
  let identities: FakeIdentities
  let service: FakeService
  let admission: Admission
  let use: { running: number; waiting: number }
  let done: { operationId: string; caller: Principal | null }[]

  beforeEach(async () => {
    identities = new FakeIdentities()
    done = []
    const operations = Object.fromEntries(
      contract.routes.map(({ operationId }): [string, AnyOperation] => [
        operationId,
        (_context, caller) => {
          done.push({ operationId, caller })
          return Promise.resolve({ status: 200, body: {} })
        },
      ]),
    )
    const metrics = { limited: () => undefined, admission: (now: typeof use) => void (use = now) }
    admission = createAdmission({ permits: 1, tenantPermits: 1, tenantQueue: 10, networkMs: () => 0, metrics })!
    service = await startFakeService({ identities, contract, operations, admission, rateLimiter: undefined })
  })
  afterEach(() => service.server.stop())

  const agentKey = (fields: Partial<Credential> = {}) =>
    identities.mint({ kind: 'agent', agentId: 'ana', fleetId: 'red', trust: 3, ...fields })

  function change(key: string, fields: Partial<Credential> | null): void {
    const keyId = key.split('_')[1]!
    if (fields === null) identities.credentials.delete(keyId)
    else identities.credentials.set(keyId, { ...identities.credentials.get(keyId)!, ...fields })
    // Another process changed it: this one sees the change when its cached identity is a second old.
    service.clock.time += 1_000
  }

  async function begin({ method, path, headers, body }: ValidRequest, key: string, more: readonly string[] = []) {
    const connection = await RawConnection.open(service.port)
    const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const typed = body === null ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
    const head = [`${method} ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, 'Connection: close']
    connection.send(...head, ...given, ...typed, ...more, '', '')
    return connection
  }

  async function statusOf(connection: RawConnection): Promise<number> {
    return parseAnswer((await connection.ended()).replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '')).status
  }

  /** Returns the response to a request whose key changes after its headers and half of its body have arrived. */
  async function heldBack(route: Route, key: string, meanwhile: () => void, more: readonly string[] = []) {
    const request = validRequest(route, 'acme')
    const connection = await begin(request, key, ['Expect: 100-continue', ...more])
    await connection.until(/100 Continue/)
    const half = Math.floor(request.body!.length / 2)
    connection.send(request.body!.slice(0, half))
    meanwhile()
    connection.send(request.body!.slice(half))
    return statusOf(connection)
  }

  /** Returns the response to a request whose key changes while the request waits for another tenant's permit. */
  async function waiting(route: Route, key: string, meanwhile: () => void) {
    const permit = await admission.permits.acquire({
      tenant: 'globex',
      isBulk: false,
      signal: new AbortController().signal,
    })
    const request = validRequest(route, 'acme')
    const connection = await begin(request, key)
    connection.send(request.body ?? '')
    await until('a request waits', () => expect(use.waiting).to.equal(1))
    meanwhile()
    permit.release()
    return statusOf(connection)
  }

  const ways = [
    { when: 'while its body is held back', send: heldBack, of: withBody },
    { when: 'while it waits for a permit', send: waiting, of: routes },
  ]
  for (const { when, send, of } of ways)
    describe(when, () => {
      for (const route of of)
        it(`does not run ${route.operationId} when it is revoked, deleted or loses trust`, async () => {
          const same = agentKey()
          expect(await send(route, same, () => change(same, {})), 'not changed').to.equal(200)
          expect(done.splice(0)).to.have.length(1)

          const revoked = agentKey()
          expect(await send(route, revoked, () => change(revoked, { revokedAt: new Date() })), 'revoked').to.equal(401)
          const gone = agentKey()
          expect(await send(route, gone, () => change(gone, null)), 'deleted').to.equal(401)
          if (route.requiredTrust !== null && route.requiredTrust > 0) {
            const trust = (route.requiredTrust - 1) as Credential['trust']
            const lowered = agentKey()
            expect(await send(route, lowered, () => change(lowered, { trust })), 'trusted less').to.equal(403)
          }
          expect(done).to.deep.equal([])
        })
    })

  const write = withBody.find(({ operationId }) => operationId === 'createMemory')!

  it('runs the operation with the fleet and the trust that its agent has by then', async () => {
    const key = agentKey()
    expect(await heldBack(write, key, () => change(key, { fleetId: 'blue', trust: 1 }))).to.equal(200)
    expect(done[0]!.caller).to.include({ agentId: 'ana', fleetId: 'blue', trust: 1 })
  })

  it('runs the operation with the fleet and the trust that the agent of X-Agent-ID has by then, and not for a deleted agent', async () => {
    const key = identities.mint({ trust: 3 })
    const acting = ['X-Agent-ID: ben']
    const named = (agent: Parameters<FakeIdentities['register']>[1] | null) => () => {
      if (agent === null) identities.agents.delete('ben')
      else identities.register('ben', agent)
      service.clock.time += 1_000
    }
    identities.register('ben', { fleetId: 'red', trust: 3 })
    expect(await heldBack(write, key, named({ fleetId: 'blue', trust: 1 }), acting)).to.equal(200)
    expect(done.splice(0)[0]!.caller).to.include({ agentId: 'ben', fleetId: 'blue', trust: 1 })
    expect(await heldBack(write, key, named({ trust: 0 }), acting)).to.equal(403)
    named({ trust: 1 })()
    expect(await heldBack(write, key, named(null), acting)).to.equal(403)
    expect(done).to.deep.equal([])
  })

  it('needs no further lookup while the cached identity is less than a second old', async () => {
    const key = agentKey()
    expect(await heldBack(write, key, () => (service.clock.time += 999))).to.equal(200)
    expect(identities.lookups).to.have.length(1)
  })

  it('is checked again on the routes of the admin credential too', async () => {
    identities.mint()
    const { authenticate } = Authenticator.prototype
    const keys: string[] = []
    Authenticator.prototype.authenticate = function (key) {
      keys.push(key)
      return authenticate.call(this, key)
    }
    const admin = contract.routes.filter(({ security, takesBody }) => security === 'adminKey' && takesBody)
    expect(admin).to.not.deep.equal([])
    try {
      for (const route of admin) {
        const before = () => expect(keys.splice(0), route.operationId).to.deep.equal([ADMIN_KEY])
        expect(await heldBack(route, ADMIN_KEY, before), route.operationId).to.equal(200)
        expect(keys.splice(0), route.operationId).to.deep.equal([ADMIN_KEY])
      }
    } finally {
      Authenticator.prototype.authenticate = authenticate
    }
    expect(done.map(({ caller }) => caller)).to.deep.equal(admin.map(() => null))
  })
})
