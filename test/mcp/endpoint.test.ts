import { expect } from 'chai'
import { envelope } from '../../http/errors.js'
import type { CallOperation } from '../../http/operation-caller.js'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { serializedBodyOf } from '../../runtime/serialized-body.js'

describe('the endpoint of the tools', () => {
  const endpoint = createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const send = (method: string, params: object, callOperation: CallOperation, credentials = {}) =>
    endpoint.answer(
      {
        message: { jsonrpc: '2.0', id: 1, method, params },
        headers: { ...headers, ...credentials },
        tenantId: 'shed',
        trust: () => Promise.resolve(1),
        signal: new AbortController().signal,
      },
      callOperation,
    )

  it('throws a failure of its own code, which the transport logs and tells nobody', async () => {
    const broken = new Error('a secret of the code')
    const params = { name: 'svc_stats', arguments: { op: 'read' } }
    const failure = await send('tools/call', params, () => Promise.reject(broken)).catch((error: unknown) => error)
    expect(failure).to.equal(broken)
  })

  it('gives the SDK no credential', async () => {
    const seen: Request[] = []
    const original = globalThis.Request
    globalThis.Request = class extends original {
      constructor(...args: ConstructorParameters<typeof original>) {
        super(...args)
        seen.push(this)
      }
    }
    try {
      const credentials = { 'x-api-key': 'secret 1', authorization: 'Bearer secret 2', cookie: 'key=secret 3' }
      const { status } = await send('tools/list', {}, () => Promise.reject(new Error('not called')), credentials)
      expect(status).to.equal(200)
    } finally {
      globalThis.Request = original
    }
    expect(seen).not.to.deep.equal([])
    for (const request of seen) expect(Object.fromEntries(request.headers)).to.deep.equal(headers)
  })

  it('takes an object that cannot become a text as it is', async () => {
    const metadata = { toString: 'a', valueOf: 1 }
    const params = { name: 'svc_memory', arguments: { op: 'write', content: 'The shed is dry.', metadata } }
    let sent: unknown
    const { status } = await send('tools/call', params, ({ body }) => {
      sent = body
      return Promise.resolve({ status: 201, headers: {}, body: {} })
    })
    expect(status).to.equal(200)
    expect(sent).to.deep.equal({ tenant_id: 'shed', content: 'The shed is dry.', metadata })
  })

  it('names the resource that there is not', async () => {
    const uri = 'cairn://schemas/svc_nothing'
    const { body } = await send('resources/read', { uri }, () => Promise.reject(new Error('not called')))
    const error = { code: -32602, message: `There is no resource ${uri}.`, data: { uri } }
    expect(serializedBodyOf(body)!.toString()).to.contain(JSON.stringify(error))
  })

  it('never presents a refusal as the rules of a session', async () => {
    const refuse: CallOperation = () => Promise.resolve({ status: 503, headers: {}, body: envelope(503, 'later') })
    const { status, body } = await send('prompts/get', { name: 'start_session', arguments: {} }, refuse)
    expect(status).to.equal(200)
    const text = serializedBodyOf(body)!.toString()
    expect(text).to.contain('Your rules could not be read').and.to.contain('UNAVAILABLE')
    expect(text).not.to.contain('Rules that you must follow')
  })
})
