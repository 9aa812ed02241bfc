import { expect } from 'chai'
import { getEventListeners } from 'node:events'
import {
  AnswerError,
  ArgumentError,
  CairnError,
  type Client,
  type ClientOptions,
  ConflictError,
  ConnectionError,
  createClient,
  ForbiddenError,
  InvalidArgumentsError,
  RateLimitedError,
  RedirectError,
  ServiceError,
  TimeoutError,
  UnavailableError,
} from '../../client/index.js'
import { ERROR_CLASSES } from '../../client/errors.js'
import { ERROR_CODES } from '../../http/errors.js'
import {
  dropped,
  type FakeAnswer,
  type FakeService,
  refused,
  silent,
  startFakeService,
} from '../support/fake-service.js'
import { until } from '../support/states.js'

const ID = '00000000-0000-4000-8000-000000000001'

/** Tests what the client does about faults of the service, of the network and of its caller. */
describe('the client', () => {
  let service: FakeService
  before(async () => {
    service = await startFakeService()
  })
  after(() => service.stop())

  function clientWith(options: Partial<ClientOptions> = {}): Client {
    return createClient({ url: service.url, apiKey: 'key', tenantId: 't', retryDelayMs: 1, ...options })
  }

  /** Returns the error that a call rejects with, which is of the class. */
  async function failure<E extends Error>(promise: Promise<unknown>, type: new (...given: never[]) => E): Promise<E> {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(type)
    return error as E
  }

  describe('repeats', () => {
    const temporary: Readonly<Record<string, FakeAnswer>> = {
      'a limiter’s refusal': refused(429, 'RATE_LIMITED', { 'Retry-After': '0' }),
      'a refusal without the envelope': { status: 429, body: 'slow down' },
      'an unavailable service': refused(503, 'UNAVAILABLE'),
      'a proxy without a service': { status: 502, body: '<html>Bad Gateway</html>' },
      'a broken connection': dropped,
      'an answer that breaks off': (response) => {
        response.writeHead(200, { 'Content-Length': '100' })
        response.write('{"id": ', () => response.destroy())
      },
      'the same write in progress': refused(409, 'CONFLICT', { 'Retry-After': '0' }),
    }
    for (const [name, fault] of Object.entries(temporary))
      it(`a write after ${name}, with the same idempotency key`, async () => {
        service.answer(fault, { status: 201, body: { id: ID } })
        expect(await clientWith().createMemory({ content: 'x' })).to.deep.equal({ id: ID })
        const keys = service.requests.map(({ headers }) => headers['idempotency-key'])
        expect(keys).to.have.length(2)
        expect(keys[0])
          .to.match(/^[0-9a-f]{32}$/)
          .and.to.equal(keys[1])
      })

    it('a write that was stored before the connection broke, which stays one write', async () => {
      const stored = new Map<unknown, string>()
      const store: FakeAnswer = (response, { headers }) => {
        const isRepeated = stored.has(headers['idempotency-key'])
        if (!isRepeated) stored.set(headers['idempotency-key'], ID)
        if (!isRepeated) return response.destroy()
        response.writeHead(201).end(JSON.stringify({ id: stored.get(headers['idempotency-key']) }))
      }
      service.answer(store)
      expect(await clientWith().createMemory({ content: 'x' })).to.deep.equal({ id: ID })
      expect(stored.size).to.equal(1)
      await clientWith().createMemory({ content: 'another call' })
      expect(stored.size).to.equal(2)
    })

    it('reads and searches, but no write that has no idempotency key', async () => {
      service.answer(dropped, { body: { memories: [] } })
      await clientWith().recall({ query: 'q' })
      service.answer(dropped, { body: {} })
      await clientWith().getMemory({ memory_id: ID })
      service.answer(dropped)
      await failure(clientWith().rateMemory({ memory_id: ID, outcome: 'success' }), ConnectionError)
      expect(service.requests).to.have.length(1)
      service.answer(refused(503, 'UNAVAILABLE'))
      await failure(clientWith().setKeystone(RULE), UnavailableError)
      expect(service.requests).to.have.length(1)
      // A limiter refuses before anything is done.
      service.answer(refused(429, 'RATE_LIMITED', { 'Retry-After': '0' }), { body: {} })
      await clientWith().rateMemory({ memory_id: ID, outcome: 'success' })
      expect(service.requests).to.have.length(2)
    })

    it('no deletion with If-Match, whose repetition would be refused', async () => {
      service.answer(dropped)
      const doc = { collection: 'notes', doc_id: 'a' }
      await failure(clientWith().deleteDocument(doc, { ifMatch: '"1"' }), ConnectionError)
      expect(service.requests).to.have.length(1)
      service.answer(dropped, { status: 204 })
      await clientWith().deleteDocument(doc)
      expect(service.requests).to.have.length(2)
    })

    it('no refusal that stays', async () => {
      for (const [status, code] of [
        [409, 'CONFLICT'],
        [500, 'INTERNAL_ERROR'],
        [422, 'INVALID_ARGUMENTS'],
      ] as const) {
        service.answer(refused(status, code))
        await failure(clientWith().createMemory({ content: 'x' }), ServiceError)
        expect(service.requests, code).to.have.length(1)
      }
    })

    it('as often as it is told, and throws the last error', async () => {
      service.answer(refused(503, 'UNAVAILABLE'))
      await failure(clientWith().getHealth(), UnavailableError)
      expect(service.requests).to.have.length(3)
      service.answer(refused(503, 'UNAVAILABLE'))
      await failure(clientWith().listMemories({}, { maxRetries: 0 }), UnavailableError)
      expect(service.requests).to.have.length(1)
    })

    it('not before Retry-After, and never waits for a year', async () => {
      let refusedAt = 0
      let repeatedAt = 0
      service.answer(
        (response) => {
          refusedAt = performance.now()
          response.writeHead(429, { 'Retry-After': '1' }).end()
        },
        (response) => {
          repeatedAt = performance.now()
          response.writeHead(200).end('{}')
        },
      )
      await clientWith().getRoot()
      expect(repeatedAt - refusedAt).to.be.at.least(990)
      for (const header of ['31536000', '9'.repeat(400), new Date(Date.now() + 31_536_000_000).toUTCString()]) {
        service.answer(refused(429, 'RATE_LIMITED', { 'Retry-After': header }))
        const error = await failure(clientWith().getRoot(), RateLimitedError)
        expect(error.retryAfterS).to.be.greaterThan(30_000_000)
        expect(service.requests).to.have.length(1)
      }
    })
  })

  describe('ends', () => {
    it('an attempt that takes too long, and repeats what may be repeated', async () => {
      service.answer(silent, { body: {} })
      await clientWith({ timeoutMs: 50 }).getRoot()
      expect(service.requests).to.have.length(2)
      service.answer(silent)
      await failure(clientWith().setKeystone(RULE, { timeoutMs: 50 }), TimeoutError)
      expect(service.requests).to.have.length(1)
    })

    it('no attempt because its time is longer than a timer counts', async () => {
      for (const timeoutMs of [Infinity, 2 ** 31]) {
        service.answer((response) => void setImmediate(() => response.writeHead(200).end('{}')))
        await clientWith({ timeoutMs, maxRetries: 0 }).getRoot()
      }
    })

    it('an answer that never ends with its time too', async () => {
      service.answer((response) => void response.writeHead(200).write('{'))
      await failure(clientWith({ timeoutMs: 50, maxRetries: 0 }).getRoot(), TimeoutError)
    })

    it('with the caller’s signal: before, in an attempt, and in a wait', async () => {
      service.answer({ body: {} })
      const reason = new Error('enough')
      expect(await failure(clientWith().getRoot({}, { signal: AbortSignal.abort(reason) }), Error)).to.equal(reason)
      expect(service.requests).to.have.length(0)
      for (const fault of [silent, refused(429, 'RATE_LIMITED', { 'Retry-After': '60' })]) {
        const stop = new AbortController()
        service.answer(fault)
        const failed = failure(clientWith().getRoot({}, { signal: stop.signal }), Error)
        await until('the request has arrived', () => service.requests.length === 1)
        setTimeout(() => stop.abort(reason), 20)
        expect(await failed).to.equal(reason)
      }
    })

    it('and leaves nothing on a signal that lives on', async () => {
      const { signal } = new AbortController()
      service.answer(refused(503, 'UNAVAILABLE'), { body: {} })
      await clientWith().getRoot({}, { signal })
      expect(service.requests).to.have.length(2)
      expect(getEventListeners(signal, 'abort')).to.deep.equal([])
    })
  })

  describe('names an error', () => {
    it('by each code of the service with a class of its own', async () => {
      expect([...ERROR_CLASSES.keys()].sort()).to.deep.equal(Object.values(ERROR_CODES).sort())
      expect(new Set(ERROR_CLASSES.values()).size).to.equal(ERROR_CLASSES.size)
      for (const [status, code] of Object.entries(ERROR_CODES)) {
        service.answer(refused(Number(status), code, { 'X-Request-Id': 'r1' }))
        const error = await failure(clientWith({ maxRetries: 0 }).getRoot(), ERROR_CLASSES.get(code)!)
        expect(error).to.include({ code, status: Number(status), requestId: 'r1', message: `It is ${code}.` })
      }
    })

    it('with its details, field by field', async () => {
      const errors = [{ loc: ['body', 'content'], msg: 'Field required', type: 'missing' }]
      service.answer({
        status: 422,
        body: { error: { code: 'INVALID_ARGUMENTS', message: 'no', details: { errors } } },
      })
      const error = await failure(clientWith().createMemory({ content: '' }), InvalidArgumentsError)
      expect(error.errors).to.deep.equal(errors)
      expect(error).to.be.instanceOf(CairnError)
      expect(error).not.to.be.instanceOf(ForbiddenError)
      expect(error.name).to.equal('InvalidArgumentsError')
    })

    it('without the envelope by its status', async () => {
      for (const body of ['<html>', 'null', '[]', '{"error": "no"}', '{"error": {"code": 7, "details": []}}', '']) {
        service.answer({ status: 418, body })
        const error = await failure(clientWith().getRoot(), ServiceError)
        expect(error, body).to.include({ code: 'HTTP_418', status: 418 })
      }
    })

    it('of the network with its cause, and not with the key', async () => {
      service.answer(dropped)
      const error = await failure(clientWith({ apiKey: 'secret-key', maxRetries: 0 }).getRoot(), ConnectionError)
      expect(error.cause).to.be.instanceOf(TypeError)
      expect(JSON.stringify(error) + String(error) + error.stack).not.to.contain('secret-key')
    })
  })

  describe('finds its tenant', () => {
    const me = { body: { tenant_id: 'mine' } }
    const unnamed = () => clientWith({ tenantId: undefined })

    it('once, for many calls at a time, and keeps no failed lookup', async () => {
      const client = unnamed()
      service.answer(refused(401, 'UNAUTHORIZED'))
      await failure(client.createMemory({ content: 'x' }), ServiceError)
      service.answer(me, { status: 201, body: {} })
      await Promise.all(['a', 'b', 'c'].map((content) => client.createMemory({ content })))
      await client.recall({ query: 'q' })
      expect(service.requests.filter(({ url }) => url === '/api/v1/whoami')).to.have.length(1)
      const tenants = service.requests.slice(1).map(({ body }) => (body as { tenant_id: string }).tenant_id)
      expect(tenants).to.deep.equal(['mine', 'mine', 'mine', 'mine'])
    })

    it('though the caller that asked first has gone', async () => {
      const client = unnamed()
      const stop = new AbortController()
      let tell = () => {}
      service.answer(
        (response) => {
          tell = () => response.writeHead(200).end(JSON.stringify(me.body))
        },
        { body: {} },
      )
      const first = failure(client.recall({ query: 'q' }, { signal: stop.signal }), Error)
      const second = client.listKeystones()
      await until('the lookup has arrived', () => service.requests.length === 1)
      stop.abort(new Error('gone'))
      expect((await first).message).to.equal('gone')
      tell()
      await second
      expect(service.requests.map(({ url }) => url)).to.deep.equal([
        '/api/v1/whoami',
        '/api/v1/keystones?tenant_id=mine',
      ])
    })

    it('and asks for none where it is given or the operation is not of tenants', async () => {
      service.answer({ body: {} })
      await unnamed().listKeystones({ tenant_id: 'other' })
      await clientWith({ tenantId: 'chosen' }).getMemory({ memory_id: ID })
      await clientWith({ tenantId: 'chosen' }).listTenants()
      expect(service.requests.map(({ url }) => url)).to.deep.equal([
        '/api/v1/keystones?tenant_id=other',
        `/api/v1/memories/${ID}?tenant_id=chosen`,
        '/api/v1/admin/tenants',
      ])
    })
  })

  describe('reads pages', () => {
    const page = (items: readonly unknown[], next_cursor: string | null) => ({ body: { items, next_cursor } })

    it('as far as its caller goes, with the same arguments', async () => {
      service.answer(page([1, 2], 'c1'), page([], 'c2'), page([3], null))
      const seen: unknown[] = []
      for await (const memory of clientWith().listMemories({ run_id: 'r' })) seen.push(memory)
      expect(seen).to.deep.equal([1, 2, 3])
      expect(service.requests.map(({ url }) => new URL(url, service.url).searchParams.get('cursor'))).to.deep.equal([
        null,
        'c1',
        'c2',
      ])
      expect(service.requests.every(({ url }) => url.includes('run_id=r'))).to.equal(true)
      service.answer(page([1], 'c1'))
      for await (const first of clientWith().queryDocuments({ collection: 'notes' })) {
        expect(first).to.equal(1)
        break
      }
      expect(service.requests).to.have.length(1)
    })

    it('and not forever, when a cursor leads to its own page', async () => {
      service.answer(page([1], 'same'))
      const seen: unknown[] = []
      const walk = async () => {
        for await (const memory of clientWith().listMemories()) seen.push(memory)
      }
      await failure(walk(), AnswerError)
      expect(service.requests).to.have.length(2)
    })

    it('and not forever, when cursors lead round in a circle', async () => {
      service.answer(...Array.from({ length: 20 }, (_, i) => page([i], i % 2 ? 'b' : 'a')), page([], null))
      const walk = async () => {
        for await (const memory of clientWith().listMemories()) void memory
      }
      await failure(walk(), AnswerError)
      expect(service.requests).to.have.length(3)
    })
  })

  describe('is not led astray', () => {
    it('by a redirect, which would take the key to another host', async () => {
      const other = await startFakeService()
      try {
        for (const status of [301, 302, 303, 307, 308]) {
          service.answer({ status, headers: { Location: `${other.url}/api/v1/whoami` } })
          const error = await failure(clientWith().whoami(), RedirectError)
          expect(error.location).to.equal(`${other.url}/api/v1/whoami`)
        }
        expect(other.requests).to.have.length(0)
      } finally {
        await other.stop()
      }
    })

    it('by an answer that is huge or no JSON', async () => {
      service.answer((response) => {
        response.writeHead(200)
        const fill = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', fill)
        fill()
      })
      await failure(clientWith({ maxAnswerBytes: 1_000_000 }).getRoot(), AnswerError)
      for (const body of ['<html>It works!</html>', '{"id": ']) {
        service.answer({ body })
        await failure(clientWith().getRoot(), AnswerError)
        expect(service.requests).to.have.length(1)
      }
    })

    it('by a success that is empty, names no tenant or is no page', async () => {
      const walk = async () => {
        for await (const memory of clientWith().listMemories()) void memory
      }
      service.answer((response) => void response.writeHead(200).end())
      await failure(clientWith().whoami(), AnswerError)
      await failure(clientWith().getRoot(), AnswerError)
      await failure(clientWith({ tenantId: undefined }).listKeystones(), AnswerError)
      await failure(walk(), AnswerError)
      for (const body of ['null', {}, { items: {}, next_cursor: null }, { items: [] }]) {
        service.answer({ body })
        await failure(clientWith({ tenantId: undefined }).listKeystones(), AnswerError)
        await failure(walk(), AnswerError)
      }
      service.answer({ body: { items: [], next_cursor: 'c' } }, { body: {} })
      await failure(walk(), AnswerError)
    })

    it('by ids, which stay one segment of the path', async () => {
      service.answer({ body: {} })
      for (const id of ['../keystones', 'a/b?c=d#e', 'ü\r\nX-Agent-ID: root', '%2e%2e', 'a\\..\\b'])
        await clientWith().getDocument({ collection: 'notes', doc_id: id })
      expect(service.requests.map(({ url }) => url)).to.deep.equal([
        '/api/v1/documents/notes/..%2Fkeystones?tenant_id=t',
        '/api/v1/documents/notes/a%2Fb%3Fc%3Dd%23e?tenant_id=t',
        '/api/v1/documents/notes/%C3%BC%0D%0AX-Agent-ID%3A%20root?tenant_id=t',
        '/api/v1/documents/notes/%252e%252e?tenant_id=t',
        '/api/v1/documents/notes/a%5C..%5Cb?tenant_id=t',
      ])
      for (const id of ['', '.', '..', '\ud800', null, {}])
        await failure(clientWith().deleteMemory({ memory_id: id as string }), ArgumentError)
      expect(service.requests).to.have.length(5)
    })

    it('by line breaks in what becomes a header, or by an address that is none', async () => {
      service.answer({ body: {} })
      await failure(clientWith().recall({ query: 'q' }, { agentId: 'a\r\nX-API-Key: b' }), ArgumentError)
      await failure(clientWith().createMemory({ content: 'x' }, { idempotencyKey: 'a\nb' }), ArgumentError)
      expect(() => clientWith({ apiKey: 'a\r\nb' })).to.throw(ArgumentError)
      for (const url of ['ftp://a', 'localhost:8080', 'http://user:word@a', 'http://a/?b', ''])
        expect(() => clientWith({ url }), url).to.throw(ArgumentError)
      expect(clientWith({ url: 'http://a/base/?' }).url).to.equal('http://a/base')
      expect(service.requests).to.have.length(0)
      await clientWith({ agentId: 'ana' }).recall({ query: 'q' })
      expect(service.requests[0]?.headers).to.include({ 'x-agent-id': 'ana', 'x-api-key': 'key' })
    })

    it('by half of a surrogate pair in the agent that acts, whose other characters are sent percent-encoded', async () => {
      service.answer({ body: {} })
      await failure(clientWith({ agentId: 'a\ud800' }).recall({ query: 'q' }), ArgumentError)
      for (const agentId of ['auth0|a+b', '张三', 'é/1%41', '𠮷'])
        await clientWith().recall({ query: 'q' }, { agentId })
      expect(service.requests.map(({ headers }) => headers['x-agent-id'])).to.deep.equal([
        'auth0|a+b',
        '%E5%BC%A0%E4%B8%89',
        '%C3%A9/1%2541',
        '%F0%A0%AE%B7',
      ])
    })
  })

  it('returns a whole answer on request, one that is still current included', async () => {
    service.answer({ status: 304 })
    const answer = await clientWith().request('listKeystones', {}, { ifNoneMatch: '"1"' })
    expect(answer.status).to.equal(304)
    expect(service.requests[0]?.headers['if-none-match']).to.equal('"1"')
    service.answer(refused(409, 'CONFLICT'))
    const old = clientWith().request('patchMemory', { memory_id: ID, title: 'x' }, { ifMatch: '"1"' })
    await failure(old, ConflictError)
  })
})

const RULE = { doc_id: 'rule', title: 'x', content: 'y', scope: 'tenant', weight: 'low' } as const
