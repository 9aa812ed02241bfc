import { expect } from 'chai'
import { mock } from 'node:test'
import type { Admission } from '../../http/limits/admission.js'
import type { AdmissionRequest } from '../../http/limits/fair-admission.js'
import { callsWithPermit } from '../../runtime/external-calls.js'
import type { StaticSite } from '../../http/static-site.js'
import { createMemoryCounters } from '../../http/limits/counters.js'
import { FakeIdentities, fakeRateLimiter, startFakeService, type FakeService } from './fake-service.js'
import { parseAnswer, RawConnection } from './raw-connection.js'

const PAGE = {
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'public, no-cache' },
  tag: 'abc',
  read: (encoding: string) => Promise.resolve(Buffer.from(`<p>${encoding}`)),
}
const site: StaticSite = {
  path: '/pages',
  name: 'pages',
  find: (path) => (path === '' || path === '/one' ? PAGE : null),
  missing: { headers: { ...PAGE.headers, 'Content-Security-Policy': "default-src 'none'" }, html: '<p>nothing' },
}
const asked: AdmissionRequest[] = []
const admission = {
  permits: {
    acquire(request: AdmissionRequest) {
      asked.push(request)
      return Promise.resolve({ release: () => undefined })
    },
  },
  externalCalls: () => callsWithPermit,
} as unknown as Admission

describe('a site beside the contract', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  let service: FakeService
  before(async () => (service = await startFakeService({ sites: [site], admission, identities, key })))
  after(() => service.server.stop())
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${service.port}${path}`, init)

  it('answers everybody, with and without a slash at the end, under a permit of all callers without a key', async () => {
    for (const path of ['/pages', '/pages/', '/pages/one', '/pages/one/', '/pages/one?query']) {
      const answer = await get(path, { headers: { 'Accept-Encoding': 'identity' } })
      expect([answer.status, await answer.text()], path).to.deep.equal([200, '<p>identity'])
      expect(Object.fromEntries(answer.headers)).to.include({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, no-cache',
        etag: '"abc"',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      })
    }
    expect(service.requests.at(-1)).to.deep.equal({ operationId: 'pages', status: 200 })
    expect(asked).to.have.length(5)
    for (const request of asked) expect(request).to.include({ tenant: 'nobody', limitsOthers: false })
  })

  it('answers compressed, by HEAD without a body, and 304 to whoever has the file', async () => {
    const connection = await RawConnection.open(service.port)
    connection.send('GET /pages HTTP/1.1', 'Host: a', 'Accept-Encoding: gzip', 'Connection: close', '', '')
    const { status, headers } = parseAnswer((await connection.ended()).replace('<p>gzip', '{}'))
    expect(status).to.equal(200)
    expect([headers.get('content-encoding'), headers.get('etag')]).to.deep.equal(['gzip', '"abc-gzip"'])
    const head = await get('/pages', { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } })
    expect([head.status, head.headers.get('content-length'), await head.text()]).to.deep.equal([200, '11', ''])
    const has = (tag: string) => ({ headers: { 'Accept-Encoding': 'identity', 'If-None-Match': tag } })
    const known = await get('/pages', has('"abc"'))
    expect([known.status, known.headers.get('etag'), await known.text()]).to.deep.equal([304, '"abc"', ''])
    expect((await get('/pages', has('"abcd"'))).status).to.equal(200)
  })

  it('answers in the envelope for other methods, and for every path that is no file of it', async () => {
    const posted = await get('/pages', { method: 'POST', body: 'x' })
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    expect(await posted.json()).to.have.nested.property('error.code', 'METHOD_NOT_ALLOWED')
    const targets = [
      '/pages/two',
      '/pages//',
      '/pages/%6fne',
      '/Pages',
      '/pages/one/../one',
      '/pages/../package.json',
      '/pages/../../../../etc/passwd',
      '/pages/..%2f..%2fpackage.json',
      '/pages/%2e%2e/package.json',
      '/pages/..\\package.json',
      '/pages/one%00',
      '/pages/%',
      '/pages/__proto__',
    ]
    for (const target of targets) {
      const connection = await RawConnection.open(service.port)
      connection.send(`GET ${target} HTTP/1.1`, 'Host: a', 'Connection: close', '', '')
      const { status, headers, body } = parseAnswer(await connection.ended())
      expect(status, target).to.equal(404)
      expect(headers.get('content-type'), target).to.match(/^application\/json/)
      expect(body, target).to.have.nested.property('error.code', 'NOT_FOUND')
    }
  })

  it('answers a browser with a page for every path that is no file of it, and everybody else in the envelope', async () => {
    for (const path of ['/pages/two', '/pages/<script>']) {
      const answer = await get(path, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
      expect([answer.status, await answer.text()], path).to.deep.equal([404, '<p>nothing'])
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).to.equal("default-src 'none'")
    }
    for (const Accept of ['*/*', 'application/json'])
      expect(await (await get('/pages/two', { headers: { Accept } })).json()).to.have.nested.property(
        'error.message',
        'There is no route GET /pages/two. The API is described at /pages.',
      )
    const beside = await get('/two', { headers: { Accept: 'text/html' } })
    expect([beside.status, beside.headers.get('content-type')]).to.deep.equal([404, 'application/json; charset=utf-8'])
    const posted = await get('/pages/one', { method: 'POST', headers: { Accept: 'text/html' } })
    expect([posted.status, posted.headers.get('content-type')]).to.deep.equal([405, 'application/json; charset=utf-8'])
  })

  it('that has no file says why at each of its paths, and is not named as what describes the API', async () => {
    const none: StaticSite = { path: '/none', name: 'none', find: () => null, missing: null, empty: 'Not built.' }
    const without = await startFakeService({ sites: [none] })
    const messageOf = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${without.port}${path}`, { headers: { Accept: 'text/html' } })
      const { error } = (await answer.json()) as { error: { message: string } }
      return [answer.status, error.message]
    }
    try {
      for (const path of ['/none', '/none/', '/none/page'])
        expect(await messageOf(path), path).to.deep.equal([404, 'Not built.'])
      expect(await messageOf('/two')).to.deep.equal([404, 'There is no route GET /two.'])
    } finally {
      await without.server.stop()
    }
  })

  it('answers an empty file with 204', async () => {
    const empty: StaticSite = {
      path: '/icon',
      name: 'icon',
      find: () => ({ ...PAGE, read: () => Promise.resolve(Buffer.alloc(0)) }),
    }
    const without = await startFakeService({ sites: [empty] })
    try {
      const answer = await fetch(`http://127.0.0.1:${without.port}/icon`)
      expect([answer.status, answer.headers.get('content-encoding'), await answer.text()]).to.deep.equal([
        204,
        null,
        '',
      ])
    } finally {
      await without.server.stop()
    }
  })

  it('is limited for each address, for pages that it has and that it has not', async () => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_800_000_000_000 })
    const rate = { perSecond: 2, burst: 2 }
    const counters = createMemoryCounters({ address: rate, tenant: rate })
    const limited = await startFakeService({
      sites: [site],
      rateLimiter: fakeRateLimiter({ now: () => 0 }, { counters }),
    })
    try {
      const statuses: number[] = []
      for (const path of ['/pages', '/pages/two', '/pages', '/pages/two'])
        statuses.push((await fetch(`http://127.0.0.1:${limited.port}${path}`)).status)
      expect(statuses).to.deep.equal([200, 404, 429, 429])
    } finally {
      mock.timers.reset()
      await limited.server.stop()
    }
  })
})
