import { expect } from 'chai'
import type { AnyOperation } from '../../http/operation.js'
import { InvalidRequestError } from '../../http/errors.js'
import { ConflictError, InvalidArgumentsError, UnavailableError } from '../../runtime/errors.js'
import { FakeIdentities, startFakeService, type FakeService } from './fake-service.js'

interface Entry {
  readonly loc: string[]
  readonly type: string
}

function faults(body: { detail: Entry[] }): string[] {
  return body.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`)
}

describe('the application', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  let fail: unknown = null
  let service: FakeService
  const failing: AnyOperation = () => Promise.reject(fail as Error)

  before(async () => {
    service = await startFakeService({ key, identities, operations: { ping: failing } })
  })
  after(() => service.server.stop())

  const post = (body: string | Uint8Array, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
    service.client.raw('POST', '/api/things', { body, headers })

  describe('routes', () => {
    it('answers with and without a trailing slash, and never with a redirect', async () => {
      for (const path of ['/api/things', '/api/things/', '/api/things/a', '/api/things/a/']) {
        expect((await service.client.get(path)).status).to.equal(200)
      }
      expect((await service.client.get('/api/things//')).status).to.equal(404)
    })

    it('answers 404 in the envelope for an unknown path, also to callers without a key', async () => {
      const { status, body } = await service.client.as(null).get('/api/nothing')
      expect(status).to.equal(404)
      expect(body).to.deep.equal({
        error: { code: 'NOT_FOUND', message: 'There is no route GET /api/nothing.' },
        detail: 'There is no route GET /api/nothing.',
      })
    })

    it('says in a 404 which route is near, and shows of the path 100 characters at most', async () => {
      const near: [method: string, path: string, hint: string][] = [
        ['GET', '/things', '; did you mean GET /api/things?'],
        ['POST', '/v1/thing?word=secret', '; did you mean POST /api/things?'],
        ['DELETE', '/api/v2/thigs/', '; did you mean GET /api/things?'],
        ['PUT', '/things/a', '; did you mean PUT /api/things/{thing_id}?'],
        ['GET', '/bulk', '; did you mean POST /api/bulk?'],
        ['GET', '/api/nothing', '.'],
        ['GET', '/pang/<b>', '.'],
        ['GET', `/${'x'.repeat(500)}`, '.'],
      ]
      for (const [method, path, hint] of near) {
        const { status, body } = await service.client.as(null).raw(method, path)
        const asSent = path.split('?')[0]!.replace('<b>', '%3Cb%3E')
        const shown = asSent.length > 100 ? `${asSent.slice(0, 100)}…` : asSent
        expect([status, body.error.message]).to.deep.equal([404, `There is no route ${method} ${shown}${hint}`])
      }
    })

    it('answers 405 with Allow for another method of a known path', async () => {
      const { status, body, headers } = await service.client.as(null).delete('/api/things')
      expect([status, body.error.code]).to.deep.equal([405, 'METHOD_NOT_ALLOWED'])
      expect(headers.get('Allow')).to.equal('GET, HEAD, POST')
    })

    it('answers HEAD like GET, without the body', async () => {
      const { status, headers, body } = await service.client.raw('HEAD', '/api/things')
      expect([status, body]).to.deep.equal([200, undefined])
      expect(Number(headers.get('Content-Length'))).to.be.greaterThan(2)
      expect((await service.client.as(null).raw('HEAD', '/api/things')).status).to.equal(401)
    })

    it('decodes an encoded slash in a path parameter', async () => {
      const { body } = await service.client.get('/api/things/forge%2Fpdf%20x')
      expect(body.params).to.deep.equal({ thing_id: 'forge/pdf x' })
    })

    it('answers 400 for broken percent-encoding', async () => {
      for (const path of ['/api/things/%zz', '/api/things?word=%E0%A4', '/api/things?%ff=1']) {
        const { status, body } = await service.client.get(path)
        expect([status, body.error.code]).to.deep.equal([400, 'BAD_REQUEST'])
      }
    })
  })

  describe('parameters', () => {
    it('have their types and defaults', async () => {
      const given = await service.client.get('/api/things?limit=7&whole=true&word=a+b%2Bc')
      expect(given.body.query).to.deep.equal({ limit: 7, whole: true, word: 'a b+c' })
      const { body } = await service.client.get('/api/things')
      expect(body.query).to.deep.equal({ limit: 50, whole: false })
    })

    const refused: [query: string, faults: string[]][] = [
      ['colour=red', ['query.colour extra_forbidden']],
      ['__proto__=1', ['query.__proto__ extra_forbidden']],
      ['limit=0', ['query.limit greater_than_equal']],
      ['limit=0x10&whole=1', ['query.limit int_parsing', 'query.whole bool_parsing']],
      ['limit=', ['query.limit int_parsing']],
      ['limit=1&limit=2', ['query.limit repeated']],
      ['word=a%00b', ['query.word string_unicode']],
      ['word=%ED%A0%80', ['query.word string_unicode']],
      ['tenant_id=-', ['query.tenant_id string_pattern_mismatch']],
    ]
    for (const [query, expected] of refused) {
      it(`refuses ?${query}`, async () => {
        const { status, body } = await service.client.get(`/api/things?${query}`)
        expect([status, body.error.code]).to.deep.equal([422, 'INVALID_ARGUMENTS'])
        expect(faults(body)).to.deep.equal(expected)
        expect(body.error.details.errors).to.deep.equal(body.detail)
      })
    }

    it('refuses U+0000 in a path and names the parameter', async () => {
      const { status, body } = await service.client.get('/api/things/a%00')
      expect([status, faults(body)]).to.deep.equal([422, ['path.thing_id string_unicode']])
    })

    it('refuses a malformed header, by its name in the contract', async () => {
      const { status, body } = await service.client.raw('GET', '/api/things', { headers: { 'X-Agent-ID': '-' } })
      expect([status, faults(body)]).to.deep.equal([422, ['header.X-Agent-ID string_pattern_mismatch']])
    })
  })

  describe('bodies', () => {
    const things = (fields: object) =>
      service.client.post('/api/things', { tenant_id: 'acme', content: 'x', ...fields })

    it('have their defaults', async () => {
      const { status, body } = await things({ content: ' ok ' })
      expect([status, body.body]).to.deep.equal([200, { tenant_id: 'acme', content: ' ok ', weight: 0.5 }])
    })

    it('are refused with every fault at once', async () => {
      const { status, body } = await service.client.post('/api/things', { content: '  ', weight: 'much', colour: 1 })
      expect(status).to.equal(422)
      expect(faults(body)).to.have.members([
        'body.tenant_id missing',
        'body.content string_too_short',
        'body.weight float_type',
        'body.colour extra_forbidden',
      ])
    })

    it('count characters as code points after trimming', async () => {
      expect((await things({ content: ` ${'😀'.repeat(20)} ` })).status).to.equal(200)
      const { status, body } = await things({ content: '😀'.repeat(21) })
      expect([status, faults(body)]).to.deep.equal([422, ['body.content string_too_long']])
    })

    const unfit: [name: string, json: string, fault: string][] = [
      ['U+0000', '{"tenant_id":"acme","content":"a\\u0000"}', 'body.content string_unicode'],
      ['half of a surrogate pair', '{"tenant_id":"acme","content":"\\ud83d x"}', 'body.content string_unicode'],
      ['U+0000 in a key', '{"extra":[{"a\\u0000":1}]}', 'body.extra.0.a\ufffd string_unicode'],
      ['a number too large to keep', '{"extra":[1,-1e999]}', 'body.extra.1 finite_number'],
      ['a list instead of an object', '[]', 'body dict_type'],
    ]
    for (const [name, json, fault] of unfit) {
      it(`with ${name} are refused with its location`, async () => {
        const { status, body } = await post(json)
        expect([status, faults(body)]).to.deep.equal([422, [fault]])
      })
    }

    it('may have both halves of a surrogate pair as escapes', async () => {
      const { status, body } = await post('{"tenant_id":"acme","content":"\\ud83d\\ude00"}')
      expect([status, body.body.content]).to.deep.equal([200, '😀'])
    })

    it('that are nested too deeply are refused', async () => {
      const { status, body } = await post(`{"extra":${'['.repeat(300)}${']'.repeat(300)}}`)
      expect([status, body.detail[0].type]).to.deep.equal([422, 'too_deep'])
      expect(
        (await post(`{"tenant_id":"acme","content":"x","extra":${'['.repeat(90)}${']'.repeat(90)}}`)).status,
      ).to.equal(200)
    })

    it('that are empty are refused for their missing fields', async () => {
      for (const body of [undefined, '', '{}', '  ']) {
        const answer = await service.client.raw('POST', '/api/things', {
          headers: { 'Content-Type': 'application/json' },
          ...(body !== undefined && { body }),
        })
        expect(answer.status).to.equal(422)
        expect(faults(answer.body)).to.have.members(['body.tenant_id missing', 'body.content missing'])
      }
    })

    it('that are not JSON are refused with 400, and not quoted', async () => {
      for (const body of ['{"content": secret', new Uint8Array([0x22, 0xff, 0x22])]) {
        const answer = await post(body)
        expect([answer.status, answer.body.error.code]).to.deep.equal([400, 'BAD_REQUEST'])
        expect(JSON.stringify(answer.body)).not.to.include('secret')
      }
    })

    it('that are not JSON are told the line and the column where they cannot be read on', async () => {
      const places: [body: string, line: number, column: number][] = [
        ['{"content": secret', 1, 13],
        ['\ufeff{"content": "x",}', 1, 17],
        ['{\r\n  "é😀": "x" secret }', 2, 13],
        ['{\n\n"content": "sec\nret"}', 3, 16],
        ['{"content": "x"', 1, 16],
        ['{"content": "x', 1, 15],
        ['{"content": [1,\n 01]}', 2, 2],
        [`${'\n'.repeat(900)}]`, 901, 1],
      ]
      for (const [body, line, column] of places)
        expect((await post(body)).body.error.message, JSON.stringify(body)).to.equal(
          `The body is not valid JSON: line ${line}, column ${column}.`,
        )
    })

    it('with another type or charset, or compressed, are refused with 415', async () => {
      const json = '{"tenant_id":"acme","content":"x"}'
      const refused: Record<string, string>[] = [
        { 'Content-Type': 'text/plain' },
        { 'Content-Type': 'application/json; charset=latin1' },
        { 'Content-Type': `application/json${' '.repeat(10_000)}x` },
        { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      ]
      for (const headers of refused) expect((await post(json, headers)).status).to.equal(415)
      for (const type of [
        'Application/JSON;charset=UTF-8',
        'application/json ; charset="utf-8" ;',
        'application/json;',
      ])
        expect((await post(json, { 'Content-Type': type })).status).to.equal(200)
    })

    it('on a route that takes none may be empty, and are refused when they have fields', async () => {
      const read = (body: string) => service.client.as(null).raw('POST', '/api/ping', { body })
      expect((await read('{}')).status).to.equal(405)
      const admin = service.client.as('an-admin-key-that-nobody-else-has')
      expect((await admin.raw('POST', '/api/admin/things', { body: '{}' })).status).to.equal(200)
      const { status, body } = await admin.raw('POST', '/api/admin/things', { body: '{"tenant_id":"acme"}' })
      expect([status, faults(body)]).to.deep.equal([422, ['body.tenant_id extra_forbidden']])
    })

    it('are quoted in a refusal only as far as the values are small and plain', async () => {
      const { body } = await service.client.post('/api/things', { weight: 'heavy', content: 'y'.repeat(300) })
      const inputs = (body.detail as { loc: string[]; input?: unknown }[]).map(({ loc, input }) => [loc.at(-1), input])
      expect(Object.fromEntries(inputs)).to.deep.equal({ weight: 'heavy', content: undefined, tenant_id: undefined })
    })
  })

  describe('failures', () => {
    const failWith = (error: unknown) => {
      fail = error
      service.lines.length = 0
      return service.client.get('/api/ping')
    }

    it('of class CairnError are sent as they are', async () => {
      const { status, body } = await failWith(
        new ConflictError('There is one already.', { details: { existing_id: 'x' } }),
      )
      expect(status).to.equal(409)
      expect(body).to.deep.equal({
        error: { code: 'CONFLICT', message: 'There is one already.', details: { existing_id: 'x' } },
        detail: 'There is one already.',
      })
    })

    it('of validation carry their list in both places, whichever code throws them', async () => {
      const errors = [{ loc: ['body', 'items', '3'], msg: 'No.', type: 'value_error' }]
      const failures = [
        new InvalidRequestError(errors),
        new InvalidArgumentsError([{ path: ['items', '3'], msg: 'No.', type: 'value_error' }]),
      ]
      for (const failure of failures) {
        const { status, body } = await failWith(failure)
        expect([status, body.error.message]).to.deep.equal([422, 'body.items.3: No.'])
        expect([body.detail, body.error.details.errors]).to.deep.equal([errors, errors])
      }
    })

    it('of a dependency answer 503 with Retry-After', async () => {
      const { status, headers, body } = await failWith(new UnavailableError('postgres', new Error('refused')))
      expect([status, headers.get('Retry-After'), body.error.code]).to.deep.equal([503, '1', 'UNAVAILABLE'])
    })

    it('of the service tell the caller only the request id, and are logged once without texts', async () => {
      class DriverError extends Error {
        readonly code = '22P02'
      }
      const { status, headers, body } = await failWith(new DriverError('invalid input: "the secret of Alice"'))
      expect([status, body.error.code]).to.deep.equal([500, 'INTERNAL_ERROR'])
      expect(body.error.message).to.include(headers.get('X-Request-Id'))
      expect(JSON.stringify(body)).not.to.include('Alice')
      expect(service.lines).to.have.length(1)
      const line = service.lines[0]!
      expect(line).to.include({ requestId: headers.get('X-Request-Id'), status: 500, operationId: 'ping' })
      expect(line.failure).to.include({ code: '22P02' })
      expect((line.failure as { stack: string }).stack).to.include('app.test.ts')
      expect(JSON.stringify(line)).not.to.include('Alice')
    })

    it('to serialise a body as JSON answer 500', async () => {
      const cyclic: Record<string, unknown> = {}
      cyclic.itself = cyclic
      const odd = await startFakeService({ operations: { ping: () => Promise.resolve({ status: 200, body: cyclic }) } })
      expect((await odd.client.get('/api/ping')).status).to.equal(500)
      await odd.server.stop()
    })
  })

  describe('every response', () => {
    it('lets other work go first between the items of a long list, and has its JSON', async () => {
      const order: (number | 'other work')[] = []
      const busy = (number: number) => ({
        toJSON() {
          const until = performance.now() + 1
          while (performance.now() < until);
          if (number === 0) setImmediate(() => order.push('other work'))
          order.push(number)
          return { number, 'a "name"': undefined }
        },
      })
      const items = Array.from({ length: 40 }, (_, number) => busy(number))
      const listThings: AnyOperation = () =>
        Promise.resolve({ status: 200, body: { items, next: null, no: undefined } })
      const long = await startFakeService({ key, identities, operations: { listThings } })
      try {
        const { body, headers } = await long.client.raw('GET', '/api/things')
        expect(body).to.deep.equal({ items: items.map((_, number) => ({ number })), next: null })
        expect(headers.get('Content-Length')).to.equal(String(JSON.stringify(body).length))
        expect(order.indexOf('other work')).to.be.within(1, 39)
      } finally {
        await long.server.stop()
      }
    })

    it('carries the request id of its caller, or a new one when that is invalid', async () => {
      const ask = async (id: string) => {
        const { headers } = await service.client.raw('GET', '/api/things', { headers: { 'X-Request-Id': id } })
        return headers.get('X-Request-Id')
      }
      expect(await ask('run-1.a_B')).to.equal('run-1.a_B')
      expect(await ask('no spaces')).to.match(/^[0-9a-f-]{36}$/)
      expect(await ask('x'.repeat(129))).to.match(/^[0-9a-f-]{36}$/)
    })

    it('is not cached when it belongs to a caller, and its type is never sniffed', async () => {
      const own = await service.client.get('/api/things')
      expect(own.headers.get('Cache-Control')).to.equal('no-store')
      expect(own.headers.get('X-Content-Type-Options')).to.equal('nosniff')
      expect(own.headers.get('X-Powered-By')).to.equal(null)
      expect((await service.client.as(null).get('/api/nothing')).headers.get('Cache-Control')).to.equal(null)
    })

    it('writes one log line and one measurement', async () => {
      service.lines.length = 0
      service.requests.length = 0
      await service.client.raw('GET', '/api/things?word=secret', { headers: { 'X-Request-Id': 'abc' } })
      expect(service.lines).to.have.length(1)
      expect(service.lines[0]).to.include({
        requestId: 'abc',
        method: 'GET',
        operationId: 'listThings',
        status: 200,
        tenantId: 'acme',
        level: 20,
      })
      expect(JSON.stringify(service.lines)).not.to.match(/secret|cairn_/)
      await service.client.get('/api/nothing')
      expect(service.requests).to.deep.equal([
        { operationId: 'listThings', status: 200 },
        { operationId: 'unknown', status: 404 },
      ])
    })
  })

  it('is not created while an operation has no function', async () => {
    const incomplete = { ping: undefined as unknown as AnyOperation }
    const error: unknown = await startFakeService({ operations: incomplete }).catch((reason: unknown) => reason)
    expect(String(error)).to.include('operations without a function: ping')
  })
})
