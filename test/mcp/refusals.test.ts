import { expect } from 'chai'
import { formatApiKey, makeApiKey } from '../../domain/api-key.js'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { refusalOf } from '../../mcp/refusal.js'
import { UnavailableError } from '../../runtime/errors.js'
import { FakeIdentities, fakeRateLimiter, type FakeService, startFakeService } from '../http/fake-service.js'

describe('refusals of messages', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  const limits = { writes: 9, recalls: 9, bulk: 9, inbox: 9, messages: 1 }
  let service: FakeService
  beforeEach(async () => {
    service = await startFakeService({
      identities,
      rateLimiter: fakeRateLimiter({ now: () => 1_800_000_000_000 }, { limits }),
      endpoints: [createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })],
    })
  })
  afterEach(() => service.server.stop())

  const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const ask = (given: Record<string, string> = {}, { body = PING, path = '/mcp', method = 'POST' } = {}) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...given }
    return fetch(`http://127.0.0.1:${service.port}${path}`, { method, headers, ...(method === 'POST' && { body }) })
  }

  const CASES: [string, Parameters<typeof ask>, number, string, number][] = [
    ['a wrong key', [{ 'X-API-Key': 'wrong' }], 401, 'UNAUTHORIZED', -32000],
    ['two keys', [{ Authorization: 'Bearer other' }], 401, 'UNAUTHORIZED', -32000],
    ['a foreign origin', [{ Origin: 'https://elsewhere.example' }], 403, 'FORBIDDEN', -32000],
    ['a path below', [{}, { path: '/mcp/more' }], 404, 'NOT_FOUND', -32000],
    ['GET', [{}, { method: 'GET' }], 405, 'METHOD_NOT_ALLOWED', -32000],
    ['another type', [{ 'Content-Type': 'text/plain' }], 415, 'UNSUPPORTED_MEDIA_TYPE', -32000],
    ['a body of 2 MiB', [{}, { body: ' '.repeat(2_097_152) }], 413, 'PAYLOAD_TOO_LARGE', -32000],
    ['what is not JSON', [{}, { body: '{' }], 400, 'BAD_REQUEST', -32700],
    ['a batch', [{}, { body: `[${PING}]` }], 422, 'INVALID_ARGUMENTS', -32600],
  ]
  for (const [what, given, status, code, rpcCode] of CASES)
    it(`are errors of JSON-RPC with REST’s envelope as their data: ${what}`, async () => {
      const response = await ask(...given)
      expect(response.status).to.equal(status)
      const { jsonrpc, id, error } = (await response.json()) as Refusal
      expect([jsonrpc, id, error.code]).to.deep.equal(['2.0', null, rpcCode])
      expect(error.data.error).to.include({ code, message: error.message })
      expect(error.data).to.have.property('detail')
      expect(response.statusText).to.equal(error.message)
      expect(response.headers.get('www-authenticate')).to.equal(status === 401 ? 'Bearer realm="cairn"' : null)
    })

  it('have a reason phrase that every status line may hold, whatever they quote', () => {
    const reasonOf = (message: string) =>
      refusalOf({ status: 404, headers: {}, body: { error: { message } } }, null).reason
    expect(reasonOf('There is no é\r\nSet-Cookie: a=b\0.')).to.equal('There is no  Set-Cookie: a=b .')
    expect(reasonOf('x'.repeat(100_000))).to.have.length(200)
  })

  it('count in a class of their own, and say so', async () => {
    const first = await ask()
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).to.deep.equal([200, '0'])
    const second = await ask()
    expect([second.status, second.headers.has('retry-after')]).to.deep.equal([429, true])
    expect(((await second.json()) as Refusal).error.message).to.contain('The limit of 1 messages per minute')
  })

  /** Expects the id of a message that was read; null for one that was not. */
  async function expectRefusal(response: Response, status: number, code: string, messageId: unknown = null) {
    expect(response.status).to.equal(status)
    expect(response.headers.get('content-type')).to.match(/^application\/json/)
    const { jsonrpc, id, error } = (await response.json()) as Refusal
    expect([jsonrpc, id, error.code]).to.deep.equal(['2.0', messageId, -32000])
    expect(error.data.error).to.include({ code, message: error.message })
  }

  it('are errors of JSON-RPC too where no key is sent, and where the database is away', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const unnamed = await fetch(`http://127.0.0.1:${service.port}/mcp`, { method: 'POST', headers, body: PING })
    expect(unnamed.headers.get('www-authenticate')).to.equal('Bearer realm="cairn"')
    await expectRefusal(unnamed, 401, 'UNAUTHORIZED')
    identities.before = () => Promise.reject(new UnavailableError('postgres'))
    try {
      const away = await ask({ 'X-API-Key': formatApiKey(makeApiKey()) })
      expect(away.headers.get('www-authenticate')).to.equal(null)
      await expectRefusal(away, 503, 'UNAVAILABLE')
    } finally {
      identities.before = () => Promise.resolve()
    }
  })

  it('are errors of JSON-RPC too where the key is another agent’s', async () => {
    for (const [given, id] of [
      ['"id":7,', 7],
      ['"id":"seven",', 'seven'],
      ['"id":[7],', null],
      ['', null],
    ] as const) {
      const bound = identities.mint({ kind: 'agent', agentId: 'ana' })
      const body = `{"jsonrpc":"2.0",${given}"method":"tools/list"}`
      const refused = await ask({ 'X-API-Key': bound, 'X-Agent-ID': 'ben' }, { body })
      await expectRefusal(refused, 403, 'FORBIDDEN', id)
    }
  })

  it('are errors of JSON-RPC too with 406 and 429', async () => {
    const unacceptable = await ask({ Accept: 'text/html' })
    expect(unacceptable.status).to.equal(406)
    const { jsonrpc, error } = (await unacceptable.json()) as Refusal
    expect([jsonrpc, typeof error.code]).to.deep.equal(['2.0', 'number'])
    expect(error.message).to.contain('Not Acceptable')
    const late = await ask()
    expect(late.headers.get('retry-after')).to.match(/^\d+$/)
    await expectRefusal(late, 429, 'RATE_LIMITED')
  })

  it('have the id of a message that was read, and name the resource that there is not', async () => {
    const uri = 'cairn://nothing'
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'seven', method: 'resources/read', params: { uri } })
    const { id, error } = (await (await ask({ Accept: 'application/json' }, { body })).json()) as Refusal
    expect([id, error.code, error.data]).to.deep.equal(['seven', -32602, { uri }])
  })
})

interface Refusal {
  readonly jsonrpc: string
  readonly id: unknown
  readonly error: {
    readonly code: number
    readonly message: string
    readonly data: { readonly error: { readonly code: string; readonly message: string }; readonly detail: unknown }
  }
}
