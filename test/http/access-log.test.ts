import { expect } from 'chai'
import { HttpError } from '../../http/errors.js'
import { createMemoryCounters } from '../../http/limits/counters.js'
import type { AnyOperation, TransportContext } from '../../http/operation.js'
import type { ServerOptions } from '../../http/server.js'
import { cairnContract } from '../../http/validation/contract.js'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { TimeoutError } from '../../runtime/errors.js'
import { terminalFormat } from '../../runtime/logger.js'
import { ADMIN_KEY, echo, FakeIdentities, fakeRateLimiter, startFakeService, type FakeService } from './fake-service.js'
import { RawConnection } from './raw-connection.js'

const INFO = 30
const MOST_LINES = 30
const MINUTE = 60_000

describe('the access log', () => {
  const identities = new FakeIdentities()
  const acme = identities.mint({ kind: 'agent', agentId: 'ana', trust: 0 })
  const tenantKey = identities.mint()
  const revoked = identities.mint({ kind: 'agent', agentId: 'bob', revokedAt: new Date() })
  const globex = identities.mint({ tenantId: 'globex' })
  let services: FakeService[]
  beforeEach(() => (services = []))
  afterEach(() => Promise.all(services.map(({ server }) => server.stop())))

  async function start(options: Partial<ServerOptions<TransportContext>> = {}): Promise<FakeService> {
    const service = await startFakeService({ identities, ...options })
    services.push(service)
    return service
  }

  /** Returns the lines that a service logs by default, without what is the same in each. */
  const shown = ({ lines }: FakeService) =>
    lines.filter(({ level }) => level >= INFO).map(({ time: _time, pid: _pid, hostname: _host, ...line }) => line)
  const messages = (service: FakeService) => shown(service).map(({ msg }) => msg)
  const keyIdOf = (key: string) => [...identities.credentials.keys()].find((id) => key.includes(id))!
  const refusedByKey = (service: FakeService, key: string) =>
    service.client.as(key).post('/api/admin/things', undefined)

  it('has one line for each 401, 403 and 429, which says whom and what it refused', async () => {
    const rate = { perSecond: 1_000, burst: 1_000 }
    const limits = { writes: 1, recalls: 1, bulk: 1, inbox: 1, messages: 1 }
    const counters = createMemoryCounters({ address: rate, tenant: rate })
    const clock = { now: () => 1_800_000_000_000 }
    const service = await start({ rateLimiter: fakeRateLimiter(clock, { counters, limits }) })
    await service.client.get('/api/things/a')
    await service.client.as(revoked).get('/api/things/a')
    await service.client.as(acme).post('/api/things', { tenant_id: 'acme', content: 'x' })
    await service.client.as(tenantKey).get('/api/things?tenant_id=other')
    await service.client.as(tenantKey).post('/api/bulk', undefined)
    await service.client.as(tenantKey).post('/api/bulk', undefined)
    await service.client.as(ADMIN_KEY).post('/api/admin/things', undefined)
    await service.client.as(ADMIN_KEY).post('/api/admin/things', undefined)
    const lines = shown(service).map(({ requestId, ms, ...line }) => {
      expect(requestId).to.match(/^[0-9a-f-]{36}$/)
      expect(ms).to.be.a('number')
      return line
    })
    const about = { level: INFO, address: '127.0.0.1', msg: 'request refused' }
    const ofTenantKey = { tenantId: 'acme', keyId: keyIdOf(tenantKey) }
    const thing = { method: 'GET', operationId: 'getThing', route: '/api/things/{thing_id}' }
    const unauthorized = { status: 401, code: 'UNAUTHORIZED' }
    const forbidden = { status: 403, code: 'FORBIDDEN' }
    const limited = { status: 429, code: 'RATE_LIMITED' }
    expect(lines).to.deep.equal([
      { ...about, ...thing, ...unauthorized },
      { ...about, ...thing, ...unauthorized, tenantId: 'acme', agentId: 'bob', keyId: keyIdOf(revoked) },
      {
        ...about,
        ...{ method: 'POST', operationId: 'createThing', route: '/api/things' },
        ...forbidden,
        ...{ tenantId: 'acme', agentId: 'ana', keyId: keyIdOf(acme) },
      },
      { ...about, method: 'GET', operationId: 'listThings', route: '/api/things', ...forbidden, ...ofTenantKey },
      { ...about, method: 'POST', operationId: 'bulkThings', route: '/api/bulk', ...limited, ...ofTenantKey },
      {
        ...about,
        ...{ method: 'POST', operationId: 'adminThings', route: '/api/admin/things' },
        ...limited,
        keyId: 'admin',
      },
    ])
  })

  it('names the agent that a tenant key acts for once it is known, and never one that is only claimed', async () => {
    identities.register('eve', { trust: 0 })
    const service = await start()
    const post = (agent: string) =>
      service.client.as(tenantKey).raw('POST', '/api/things', { headers: { 'X-Agent-ID': agent } })
    await post('eve')
    await post('stranger')
    expect(shown(service).map(({ status, agentId }) => [status, agentId])).to.deep.equal([
      [403, 'eve'],
      [403, undefined],
    ])
  })

  it('has one line for what a tool is refused, inside of a message that is answered', async () => {
    const contract = cairnContract()
    const service = await start({
      contract,
      operations: Object.fromEntries(contract.routes.map(({ operationId }) => [operationId, echo])),
      endpoints: [createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })],
    })
    const call = (name: string, args: object, key: string | null) =>
      fetch(`http://127.0.0.1:${service.port}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(key !== null && { 'X-API-Key': key }) },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      })
    expect((await call('svc_inbox', { op: 'list' }, acme)).status).to.equal(200)
    expect((await call('svc_inbox', { op: 'list' }, null)).status).to.equal(401)
    expect(shown(service).map(({ method, route, status, agentId }) => [method, route, status, agentId])).to.deep.equal([
      ['MESSAGE', '/api/v1/skills-inbox', 403, 'ana'],
      ['POST', '/mcp', 401, undefined],
    ])
  })

  it('has nothing of a key, a query, an id, a body, or of an address that is none', async () => {
    const service = await start({ trustProxy: 1, accessLog: 'all' })
    const texts = ['hidden-id', 'hidden-word', 'hidden-content', 'hidden-agent', 'hidden-address', 'hidden-path']
    const headers = {
      'X-Agent-ID': 'hidden-agent',
      'X-Forwarded-For': 'hidden-address',
      'Content-Type': 'application/json',
      Authorization: 'Basic hidden-word',
      Cookie: 'hidden-word',
      Referer: 'http://hidden-word',
      'User-Agent': 'hidden-word',
    }
    const body = JSON.stringify({ tenant_id: 'globex', content: 'hidden-content' })
    for (const key of [acme, tenantKey, revoked, ADMIN_KEY, `${acme}x`, 'hidden-word', null])
      for (const [method, path] of [
        ['POST', '/api/things?word=hidden-word'],
        ['GET', '/api/things/hidden-id?word=hidden-word'],
        ['GET', '/hidden-path'],
      ] as const)
        await service.client.as(key).raw(method, path, { headers, ...(method === 'POST' && { body }) })
    const logged = JSON.stringify(service.lines)
    expect(shown(service)).to.have.length(21)
    for (const text of [...texts, acme, tenantKey, revoked, ADMIN_KEY]) expect(logged).not.to.include(text)
    for (const key of [acme, tenantKey, revoked]) expect(logged).not.to.include(key.slice(-20))
    expect(shown(service).every(({ address }) => address === 'unknown')).to.equal(true)
  })

  it('names the address behind proxies as the limits count it', async () => {
    const service = await start({ trustProxy: 1 })
    for (const address of ['203.0.113.7', '[2001:db8:1:2:3::4]:4711'])
      await service.client.raw('GET', '/api/things', { headers: { 'X-Forwarded-For': address } })
    expect(shown(service).map(({ address }) => address)).to.deep.equal(['203.0.113.7', '2001:db8:1:2::/64'])
  })

  it('stays one line on a terminal, whatever a request has in its path and headers', async () => {
    const service = await start({ trustProxy: 1, accessLog: 'all' })
    const [esc, csi] = ['\u001b', '\u009b']
    const hostile = ['%0AINFO%20forged', '%1b[2J', '\\n{"level":60}', '%E2%80%A8x', '%C2%9B31m']
    for (const text of hostile) {
      const connection = await RawConnection.open(service.port)
      connection.send(`GET /api/things/${text}?word=${text} HTTP/1.1`, 'Host: x', 'Connection: close')
      for (const name of ['X-Request-Id', 'X-Forwarded-For', 'X-Agent-ID', 'X-API-Key'])
        connection.socket.write(
          Buffer.from(`\r\n${name}: ${decodeURIComponent(text).replace(/[\n\u2028\u001b]/g, '')}${csi}`, 'latin1'),
        )
      connection.send('', '', '')
      await connection.ended()
    }
    const format = terminalFormat()
    const printed = service.lines.map((line) => format(JSON.stringify(line)))
    expect(printed.length).to.be.at.least(hostile.length)
    for (const line of printed) {
      // The colours are the log's own.
      const bare = line.replaceAll(new RegExp(`${esc}\\[\\d+m`, 'g'), '')
      expect(bare).to.match(/^[\x20-\x7e]+\n$/)
      expect(bare).not.to.match(/forged|2J|31m/)
    }
  })

  it('leaves out what callers without a key are refused beyond 30 lines a minute, and says how much', async () => {
    const service = await start()
    const refuse = async (times: number) => {
      for (let time = 0; time < times; time++) await service.client.get('/api/things')
    }
    await refuse(MOST_LINES + 12)
    expect(messages(service)).to.deep.equal(Array<string>(MOST_LINES).fill('request refused'))
    // Nobody else's line is left out for it.
    await refusedByKey(service, acme)
    await refusedByKey(service, globex)
    expect(messages(service)).to.have.length(MOST_LINES + 2)

    service.clock.time += MINUTE - 1
    await refuse(1)
    expect(messages(service)).to.have.length(MOST_LINES + 2)
    service.lines.length = 0
    service.clock.time += 1
    await service.client.as(acme).get('/api/things')
    expect(shown(service)).to.deep.equal([
      {
        level: INFO,
        status: 401,
        code: 'UNAUTHORIZED',
        since: '2027-01-15T08:00:00.000Z',
        leftOut: 13,
        msg: '13 more refusals',
      },
    ])
    await refuse(MOST_LINES + 1)
    service.lines.length = 0
    await service.server.stop()
    expect(messages(service)).to.deep.equal(['1 more refusal'])
  })

  it('bounds the refusals of each tenant by status, and names it with what was left out', async () => {
    const service = await start()
    for (let time = 0; time < MOST_LINES + 2; time++) await refusedByKey(service, acme)
    await refusedByKey(service, globex)
    expect(messages(service)).to.have.length(MOST_LINES + 1)
    // A clock that was set back ends the minute.
    service.clock.time -= 1
    await service.client.as(acme).get('/api/things')
    expect(shown(service).at(-1)).to.include({ tenantId: 'acme', status: 403, leftOut: 2, msg: '2 more refusals' })
  })

  it('bounds what else callers without a key could fill it with', async () => {
    const late: AnyOperation = () => Promise.reject(new TimeoutError('Late.'))
    const service = await start({ operations: { probe: late }, limits: { slowMs: 0 } })
    for (let time = 0; time < MOST_LINES + 3; time++) {
      await service.client.get('/api/probe')
      await service.client.get('/api/nothing')
    }
    service.lines.length = 0
    service.clock.time += MINUTE
    await service.client.get('/api/nothing')
    expect(messages(service)).to.deep.equal(['3 more unanswered requests', '3 more slow requests', 'slow request'])
  })

  it('has every request when it is asked for all, those without a key bounded', async () => {
    const service = await start({ accessLog: 'all' })
    for (let time = 0; time < MOST_LINES + 5; time++) {
      await service.client.as(acme).get('/api/things')
      await service.client.get('/api/ping')
    }
    const ofKey = shown(service).filter(({ keyId }) => keyId !== undefined)
    expect(ofKey).to.have.length(MOST_LINES + 5)
    expect(ofKey[0]).to.include({ msg: 'request', status: 200, route: '/api/things', agentId: 'ana' })
    expect(ofKey[0]).not.to.have.property('code')
    expect(shown(service)).to.have.length(2 * MOST_LINES + 5)
    service.clock.time += MINUTE
    await service.client.as(acme).get('/api/things')
    expect(messages(service)).to.include('5 more requests')
  })

  it('has no refusal when it is off, and each request at level debug', async () => {
    const service = await start({ accessLog: 'off' })
    await service.client.get('/api/things')
    expect(shown(service)).to.deep.equal([])
    expect(service.lines.at(-1)).to.include({ msg: 'request', status: 401 })
  })

  it('says nothing of a quiet site, but that a request to it was refused', async () => {
    const rateLimiter = fakeRateLimiter({ now: () => 0 })
    const icon = { headers: {}, tag: 'a', read: () => Promise.resolve(Buffer.from('x')) }
    const service = await start({
      accessLog: 'all',
      rateLimiter,
      sites: [{ path: '/icon', name: 'icon', find: () => icon, isQuiet: true }],
    })
    const get = async () => (await fetch(`http://127.0.0.1:${service.port}/icon`)).status
    expect(await get()).to.equal(200)
    expect(shown(service)).to.deep.equal([])
    rateLimiter.admitAddress = () => Promise.reject(new HttpError(429, 'Too many requests.'))
    expect(await get()).to.equal(429)
    expect(shown(service)).to.have.length(1)
    expect(shown(service)[0]).to.include({ status: 429, operationId: 'icon', route: '/icon' })
  })
})
