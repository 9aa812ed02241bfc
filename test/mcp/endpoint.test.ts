import { expect } from 'chai'
import type { IncomingHttpHeaders } from 'node:http'
import type { Trust } from '../../domain/trust.js'
import { envelope } from '../../http/errors.js'
import type { CallOperation } from '../../http/message-endpoint.js'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { serializedBodyOf } from '../../runtime/json.js'
import { ANSWERED_WITH_NULLS, nullCases, type ProtocolMessage } from '../support/null-messages.js'

describe('the endpoint of the tools', () => {
  const endpoint = createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = {
    headers,
    tenantId: 'shed',
    trust: () => Promise.resolve(1 as const),
    signal: new AbortController().signal,
  }
  const send = (
    method: string,
    params: object | null,
    callOperation: CallOperation,
    given: IncomingHttpHeaders = {},
    { id = 1, trust = 1 }: { id?: unknown; trust?: Trust } = {},
  ) =>
    endpoint.answer(
      {
        ...request,
        message: { jsonrpc: '2.0', id, method, params },
        headers: { ...headers, ...given },
        trust: () => Promise.resolve(trust),
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
    const seen = await requestsDuring(async () => {
      const credentials = { 'x-api-key': 'secret 1', authorization: 'Bearer secret 2', cookie: 'key=secret 3' }
      const { status } = await send('tools/list', { _meta: { a: 1 } }, notCalled, credentials)
      expect(status).to.equal(200)
    })
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
    expect(serializedBodyOf(body)!.json.toString()).to.contain(JSON.stringify(error))
  })

  it('never presents a refusal as the rules of a session', async () => {
    const refuse: CallOperation = () => Promise.resolve({ status: 503, headers: {}, body: envelope(503, 'later') })
    const { status, body } = await send('prompts/get', { name: 'start_session', arguments: {} }, refuse)
    expect(status).to.equal(200)
    const text = serializedBodyOf(body)!.json.toString()
    expect(text).to.contain('Your rules could not be read').and.to.contain('UNAVAILABLE')
    expect(text).not.to.contain('Rules that you must follow')
  })

  const resultOf = async (answer: ReturnType<typeof send>) => {
    const { status, body, headers: answered } = await answer
    const text = serializedBodyOf(body)!.json.toString()
    const isStream = answered['Content-Type'] === 'text/event-stream'
    const json = isStream ? /^data: (.*)$/m.exec(text)![1]! : text
    return { status, isStream, reply: JSON.parse(json) as Reply }
  }

  const emptyAnswer: CallOperation = () =>
    Promise.resolve({ status: 200, headers: {}, body: { items: [], next_cursor: null } })
  for (const { method, params } of ANSWERED_WITH_NULLS)
    it(`reads null as absent: ${method} ${JSON.stringify(params)}`, async () => {
      const { status, reply } = await resultOf(send(method, params as object | null, emptyAnswer))
      expect(status).to.equal(200)
      expect(reply).to.have.property('result')
    })

  it('reads null as absent in everything that the protocol has, however deep', async () => {
    const answerTo = async (asked: ProtocolMessage) => {
      const message = { jsonrpc: '2.0', ...(!asked.method.startsWith('notifications/') && { id: 1 }), ...asked }
      const { status, body } = await endpoint.answer({ ...request, message }, emptyAnswer)
      const text = body === undefined ? '' : serializedBodyOf(body)!.json.toString()
      return [status, text.replaceAll(/(_latency_ms\W+)\d+/g, '$1')]
    }
    for (const { title, withNull, without } of nullCases())
      expect(await answerTo(withNull), title).to.deep.equal(await answerTo(without))
  })

  it('takes no null for what must be given', async () => {
    const { reply } = await resultOf(send('tools/call', { name: null }, notCalled))
    expect(reply.error).to.include({ code: -32602 })
    const items = await resultOf(
      send('initialize', { ...INITIALIZE, clientInfo: { ...CLIENT, icons: [null] } }, notCalled),
    )
    expect(items.reply).to.have.property('error')
    const own = await resultOf(send('initialize', { ...INITIALIZE, clientInfo: CLIENT }, notCalled))
    expect(own.reply).to.have.property('result')
  })

  it('writes an event in one line, also for clients that end lines where Unicode does', async () => {
    const content = 'a\u0085b\u2028c\u2029d'
    const answered: CallOperation = () => Promise.resolve({ status: 200, headers: {}, body: { counted: content } })
    const params = { name: 'svc_stats', arguments: { op: 'read' } }
    const { body } = await send('tools/call', params, answered, { accept: 'text/event-stream' })
    const lines = serializedBodyOf(body)!
      .json.toString()
      .split(/[\n\r\v\f\u0085\u2028\u2029]/)
    expect(lines).to.have.lengthOf(4)
    const message = JSON.parse(lines[1]!.slice('data: '.length)) as { result: { structuredContent: object } }
    expect(message.result.structuredContent).to.include({ counted: content })
  })

  const ACCEPTS: [string | undefined, boolean][] = [
    ['application/json, text/event-stream', true],
    ['text/event-stream;q=0.9, application/json', true],
    ['*/*', false],
    [undefined, false],
    ['application/json', false],
    ['application/*;q=0.5', false],
    ['text/event-stream', true],
    ['text/*', true],
    ['application/json;q=0, */*;q=0.0, text/event-stream', true],
  ]
  for (const [accept, isStream] of ACCEPTS)
    it(`answers Accept ${accept ?? '(none)'} ${isStream ? 'by a stream' : 'with JSON'}`, async () => {
      const answered: CallOperation = () => Promise.resolve({ status: 200, headers: {}, body: { counted: 1 } })
      const params = { name: 'svc_stats', arguments: { op: 'read' } }
      const { status, reply, ...form } = await resultOf(send('tools/call', params, answered, { accept }))
      expect(status).to.equal(200)
      expect(form.isStream).to.equal(isStream)
      expect(reply.result).to.have.nested.property('structuredContent.counted', 1)
    })

  for (const accept of ['text/html', 'image/*', 'application/json;q=0'])
    it(`refuses Accept ${accept} with 406`, async () => {
      const { status, reply } = await resultOf(send('ping', {}, notCalled, { accept }))
      expect(status).to.equal(406)
      expect(reply.error).to.have.property('message').that.contains('Not Acceptable')
    })

  it('names an unknown resource in the error’s data', async () => {
    for (const uri of ['cairn://nothing', 'cairn://schemas/svc_nothing']) {
      const { reply } = await resultOf(send('resources/read', { uri }, notCalled))
      expect(reply.error).to.deep.include({ code: -32602, data: { uri } })
    }
  })

  it('asks the SDK once for what is the same for everybody, and answers with the id of each message', async () => {
    const own = createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })
    const ask = (id: unknown, params: object = {}) => {
      const message = { jsonrpc: '2.0', id, method: 'tools/list', params }
      const signal = new AbortController().signal
      return own.answer({ message, headers, tenantId: 'shed', trust: () => Promise.resolve(1), signal }, notCalled)
    }
    const ids = [1, 'two', 'three "quoted" $& $1', 4]
    const seen = await requestsDuring(async () => {
      for (const id of ids) {
        const { reply } = await resultOf(ask(id))
        expect(reply.id).to.equal(id)
        expect(reply.result).to.have.property('tools').that.is.not.empty
      }
    })
    expect(seen).to.have.length(1)
    // What differs in anything else is another message, which the SDK judges.
    expect((await resultOf(ask(5, { cursor: 7 }))).reply).to.have.property('error')
  })
})

const CLIENT = { name: 'test', version: '1' }
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {} }

interface Reply {
  readonly id: unknown
  readonly result?: object
  readonly error?: object
}

const notCalled: CallOperation = () => Promise.reject(new Error('not called'))

/** Returns the requests that the SDK is given while `work` runs. */
async function requestsDuring(work: () => Promise<void>): Promise<readonly Request[]> {
  const seen: Request[] = []
  const original = globalThis.Request
  globalThis.Request = class extends original {
    constructor(...args: ConstructorParameters<typeof original>) {
      super(...args)
      seen.push(this)
    }
  }
  try {
    await work()
  } finally {
    globalThis.Request = original
  }
  return seen
}
