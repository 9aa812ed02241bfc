import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { cairnContract, validateAnswer, validateBulkItem } from '../../../api/contract/contract.js'
import { answerOfError } from '../../../api/door/errors.js'
import { dereference, openapiDocument } from '../../../api/contract/openapi-document.js'
import { operations } from '../../../api/operations/index.js'
import { Router, type Route } from '../../../api/contract/routes.js'
import { CairnError, ERROR_CODES, type ErrorStatus, InvalidArgumentsError } from '../../../runtime/errors.js'

const contract = cairnContract()
const ID = '0192f3a4-0000-7000-8000-000000000000'

function routeOf(operationId: string): Route {
  return contract.routes.find((route) => route.operationId === operationId)!
}

function faultsOf(work: () => unknown): string[] {
  try {
    work()
    return []
  } catch (error) {
    return (error as InvalidArgumentsError).errors.map(({ loc, type }) => `${loc.join('.')} ${type}`)
  }
}

describe('the contract', () => {
  it('has a function for every operation and an operation for every function', () => {
    const ids = contract.routes.map(({ operationId }) => operationId)
    expect(Object.keys(operations).sort()).to.deep.equal([...ids].sort())
  })

  it('compiles whole', () => {
    for (const { operationId } of contract.routes) contract.prepare(operationId)
  })

  it('lets nobody but the probes and its own description go without a key', () => {
    const open = contract.routes.filter(({ security }) => security === 'public').map(({ operationId }) => operationId)
    expect(open).to.have.members(['getRoot', 'getOpenapi', 'getHealth', 'getReady', 'getPublicStats'])
  })

  it('asks for the admin credential on every admin route and nowhere else', () => {
    for (const { path, security } of contract.routes) {
      expect(security === 'adminKey', path).to.equal(/^(\/api\/v1)?\/admin\//.test(path))
    }
  })

  it('says of every route that takes a key that it comes in either header', () => {
    const document = openapiDocument() as unknown as {
      security: object[]
      paths: Record<string, Record<string, { operationId?: string; security?: object[] }>>
    }
    const offered = new Map(
      Object.values(document.paths).flatMap((item) =>
        Object.values(item).map(({ operationId, security }) => [operationId, security ?? document.security] as const),
      ),
    )
    const schemes = {
      public: [],
      apiKey: [{ apiKey: [] }, { bearerKey: [] }],
      adminKey: [{ adminKey: [] }, { bearerAdminKey: [] }],
    }
    for (const { operationId, security } of contract.routes)
      expect(offered.get(operationId), operationId).to.deep.equal(schemes[security])
  })

  it('counts bulk writes, recalls and searches, operators’ requests and other writes apart, and no reading', () => {
    const apart = {
      bulk: ['createMemories', 'moveMemories', 'redistributeMemories', 'putDocuments'],
      recalls: ['recall', 'searchDocuments'],
      none: ['queryDocuments'],
      exempt: ['getHealth', 'getReady'],
    }
    for (const { operationId, method, security, rateLimiting } of contract.routes) {
      const [named] = Object.entries(apart).find(([, ids]) => ids.includes(operationId)) ?? []
      const usual = security === 'adminKey' ? 'inbox' : method === 'GET' ? 'none' : 'writes'
      expect(rateLimiting, operationId).to.equal(named ?? usual)
    }
  })

  it('declares for every operation what the door itself may answer', () => {
    for (const { operationId, security, takesBody, rateLimiting } of contract.routes) {
      const own = [400, 408, 413, 417, 422, 431, 500, 504]
      if (rateLimiting !== 'exempt') own.push(429)
      if (security !== 'public') own.push(401, 403, 503)
      if (security === 'apiKey') own.push(404)
      if (takesBody) own.push(415)
      for (const status of own) {
        const body = answerOfError(new CairnError(status as ErrorStatus, 'No.'), 'id').body
        expect(validateAnswer(operationId, status, body)).to.deep.equal([])
      }
    }
  })

  it('gives every status of the table its code', () => {
    for (const [status, code] of Object.entries(ERROR_CODES)) {
      const { body } = answerOfError(new CairnError(Number(status) as ErrorStatus, 'No.'), 'id')
      expect(body).to.have.nested.property('error.code', code)
    }
  })

  describe('holds an answer', () => {
    it('to its status', () => {
      expect(validateAnswer('deleteMemory', 204, undefined)).to.deep.equal([])
      expect(validateAnswer('deleteMemory', 200, {})).to.deep.equal(['deleteMemory does not declare 200'])
      expect(validateAnswer('deleteMemory', 204, {})).to.deep.equal(['deleteMemory 204 has no body'])
    })

    it('to its shape, with nothing missing and nothing more', () => {
      expect(validateAnswer('getReady', 200, { status: 'ready' })).to.deep.equal([])
      expect(validateAnswer('getReady', 200, { status: 'ready', secret: 1 })[0]).to.include('additional properties')
      expect(validateAnswer('getReady', 200, {})[0]).to.include('required property')
      expect(validateAnswer('getReady', 200, undefined)).not.to.deep.equal([])
    })

    it('to the names of operations', () => {
      expect(validateAnswer('getNothing', 200, {})).to.deep.equal(['getNothing is not in the contract'])
    })
  })

  describe('checks a write', () => {
    const check = (fields: object) => {
      const body = { tenant_id: 'acme', content: 'x', ...fields }
      return faultsOf(() => contract.checkBody(routeOf('createMemory'), body, JSON.stringify(body)))
    }

    it('and puts its defaults in', () => {
      const body = contract.checkBody(routeOf('createMemory'), { tenant_id: 'acme', content: 'x' }, '')
      expect(body).to.deep.equal({ tenant_id: 'acme', content: 'x', weight: 0.5, status: 'active' })
    })

    const table: [fields: object, faults: string[]][] = [
      [{ colour: 1 }, ['body.colour extra_forbidden']],
      [{ constructor: 1 }, ['body.constructor extra_forbidden']],
      [{ content: ' \n\t ' }, ['body.content string_too_short']],
      [{ content: '' }, ['body.content string_too_short']],
      [{ content: 'x'.repeat(10_000) }, []],
      [{ content: '😀'.repeat(10_000) }, []],
      [{ content: 'x'.repeat(10_001) }, ['body.content string_too_long']],
      [{ memory_type: 'rule' }, ['body.memory_type enum']],
      [{ status: 'outdated' }, ['body.status enum']],
      [{ weight: 1.01 }, ['body.weight less_than_equal']],
      [{ weight: '0.5' }, ['body.weight float_type']],
      [{ title: null }, []],
      [{ title: 'x'.repeat(201) }, ['body.title string_too_long']],
      [{ metadata: { text: 'ä'.repeat(8_190) } }, ['body.metadata too_large']],
      [{ metadata: { text: 'ä'.repeat(8_180) } }, []],
      [{ metadata: [] }, ['body.metadata dict_type']],
      [{ subject_entity_id: `urn:uuid:${ID}` }, ['body.subject_entity_id uuid_parsing']],
      [{ subject_entity_id: ID }, []],
      [{ expires_at: '2999-01-31T12:00:00' }, ['body.expires_at datetime_parsing']],
      [{ expires_at: '2999-01-31 12:00:00Z' }, ['body.expires_at datetime_parsing']],
      [{ expires_at: '2999-02-29T12:00:00Z' }, ['body.expires_at datetime_parsing']],
      [{ expires_at: '2996-02-29T12:00:00Z' }, []],
      [{ expires_at: '2999-01-31T23:59:60Z' }, ['body.expires_at datetime_parsing']],
      [{ ts_valid_start: '0000-06-01T00:00:00Z' }, ['body.ts_valid_start datetime_parsing']],
      [{ ts_valid_start: '0001-01-01T00:00:00+01:00' }, ['body.ts_valid_start datetime_parsing']],
      [{ ts_valid_start: '2026-01-31T12:00:00.123+05:30' }, []],
      [{ entity_links: [{ name: 'a' }, { role: 'r' }] }, ['body.entity_links.1 value_error']],
      [{ entity_links: [{ name: 'a', entity_id: ID }] }, ['body.entity_links.0 value_error']],
      [
        { entity_links: [{ name: ' ', kind: 1 }] },
        ['body.entity_links.0.kind extra_forbidden', 'body.entity_links.0.name string_too_short'],
      ],
      [
        { tenant_id: 'a b', replaces_id: ID },
        ['body.tenant_id string_pattern_mismatch', 'body.replaces_id extra_forbidden'],
      ],
    ]
    for (const [fields, expected] of table) {
      it(`${JSON.stringify(fields).slice(0, 70)} ${expected.length > 0 ? 'is refused' : 'is sound'}`, () => {
        expect(check(fields)).to.have.members(expected)
      })
    }

    it('and says which of many faults is the first one when the body is large', () => {
      const entity_links = Array.from({ length: 40_000 }, () => 1)
      expect(check({ entity_links, colour: 1 })).to.have.length(1)
    })

    it('and lists no more than a hundred faults', () => {
      expect(check({ entity_links: Array.from({ length: 101 }, () => 1) })).to.have.length(100)
    })
  })

  describe('says in its schemas what the service refuses', () => {
    const plain = new Ajv2020({ strict: false }).addFormat('uuid', true).addFormat('date-time', true)
    const accepts = (schema: object) => (value: unknown) => plain.validate(schema, value)
    const { components } = dereference(openapiDocument())
    const schemaOf = (name: string) => components!.schemas![name] as object
    const headerOf = (name: string) => accepts((components!.parameters![name] as { schema: object }).schema)

    it('texts of nothing but spaces', () => {
      const texts: [schema: string, fields: object, name: string][] = [
        ['MemoryFields', {}, 'content'],
        ['MemoryPatch', {}, 'content'],
        ['EntityLinkWrite', {}, 'name'],
        ['RecallRequest', { tenant_id: 't' }, 'query'],
        ['DocumentSearch', { tenant_id: 't' }, 'query'],
        [
          'KeystoneWrite',
          { tenant_id: 't', doc_id: 'd', title: 'T', content: 'C', scope: 'tenant', weight: 'low' },
          'title',
        ],
        [
          'KeystoneWrite',
          { tenant_id: 't', doc_id: 'd', title: 'T', content: 'C', scope: 'tenant', weight: 'low' },
          'content',
        ],
      ]
      for (const [schema, fields, name] of texts)
        for (const [text, isText] of [
          ['', false],
          [' \n\u00a0\ufeff', false],
          [' a ', true],
        ] as const)
          expect(accepts(schemaOf(schema))({ ...fields, [name]: text }), `${schema} ${name} ${text}`).to.equal(isText)
    })

    it('names that no document has', () => {
      const names = accepts(schemaOf('DocId'))
      for (const docId of ['a', 'a/b', 'a//b', '.a', 'a..', '...', '..a/.b', 'a b', 'é', '%2F', 'a\nb'])
        expect(names(docId), docId).to.equal(true)
      for (const docId of ['', '/a', 'a/', '/', '.', '..', 'a/../b', './a', 'a/.', 'a//..', 'x'.repeat(201)])
        expect(names(docId), docId).to.equal(false)
    })

    it('and takes no longer for a name that is made to make it', () => {
      const faults = faultsOf(() => checkName(`${'/..a'.repeat(50)}/`.slice(1)))
      expect(faults).to.deep.equal(['path.doc_id string_pattern_mismatch'])
    })

    it('headers that say nothing', () => {
      const good = { IdempotencyKey: ['a', '~'.repeat(255)], IfMatch: ['*', '"1"', 'W/"1", "2" ,"ä"'], IfNone: ['*'] }
      const bad = {
        IdempotencyKey: ['', 'a b', 'é', 'x'.repeat(256)],
        IfMatch: ['', '1', '"1" "2"', '*, "1"'],
        IfNone: ['', '"1"'],
      }
      for (const [name, values] of Object.entries(good))
        for (const value of values) expect(headerOf(name)(value), value).to.equal(true)
      for (const [name, values] of Object.entries(bad))
        for (const value of values) expect(headerOf(name)(value), value).to.equal(false)
    })

    it('with 400 where it is the grammar of a header, and in words', () => {
      const check = (headers: Record<string, string>) => () =>
        contract.checkParameters(routeOf('putDocument'), { params: {}, query: '', headers })
      expect(check({ 'if-match': '1' }))
        .to.throw(CairnError, 'If-Match: Must be * or a list of quoted entity tags.')
        .with.property('status', 400)
      expect(check({ 'if-none-match': '"1"' }))
        .to.throw(CairnError, 'If-None-Match: Must be *.')
        .with.property('status', 400)
      expect(check({ 'x-agent-id': 'a b' }))
        .to.throw(InvalidArgumentsError)
        .with.property('status', 422)
      expect(check({ 'if-match': '"1"', 'if-none-match': '*', 'x-agent-id': 'a' })).not.to.throw()
    })

    function checkName(docId: string): unknown {
      const params = { collection: 'c', doc_id: encodeURIComponent(docId) }
      return contract.checkParameters(routeOf('getDocument'), { params, query: '', headers: {} })
    }
  })

  it('asks for tenant_id where the interface does', () => {
    for (const operationId of ['listKeystones', 'deleteKeystone', 'listCollections']) {
      const params: Record<string, string> = operationId === 'deleteKeystone' ? { doc_id: 'd' } : {}
      const faults = faultsOf(() => contract.checkParameters(routeOf(operationId), { params, query: '', headers: {} }))
      expect(faults, operationId).to.deep.equal(['query.tenant_id missing'])
    }
    for (const operationId of ['createMemory', 'recall', 'searchDocuments', 'setKeystone'])
      expect(faultsOf(() => contract.checkBody(routeOf(operationId), {}, '{}'))).to.include('body.tenant_id missing')
  })

  describe('checks the items of a bulk write', () => {
    it('one by one, with where they stand', () => {
      const item: Record<string, unknown> = { content: 'x' }
      expect(validateBulkItem(item, 0)).to.deep.equal([])
      expect(item).to.deep.equal({ content: 'x', weight: 0.5, status: 'active' })
      const faults = validateBulkItem({ content: '', colour: 1 }, 3).map(({ loc, type }) => `${loc.join('.')} ${type}`)
      expect(faults).to.have.members(['body.items.3.content string_too_short', 'body.items.3.colour extra_forbidden'])
    })

    it('for text that cannot be kept, which does not refuse the others', () => {
      const text = '{"tenant_id":"acme","items":[{"content":"a\\u0000"},{"content":"x"}]}'
      const body = contract.checkBody(routeOf('createMemories'), JSON.parse(text), text) as { items: unknown[] }
      const [fault] = validateBulkItem(body.items[0], 0)
      expect(fault).to.include({ type: 'string_unicode' })
      expect(fault!.loc).to.deep.equal(['body', 'items', '0', 'content'])
      expect(validateBulkItem(body.items[1], 1)).to.deep.equal([])
    })

    it('but refuses the whole request for its own fields and for its depth', () => {
      const check = (text: string) =>
        faultsOf(() => contract.checkBody(routeOf('createMemories'), JSON.parse(text), text))
      expect(check('{"tenant_id":"acme\\u0000","items":[{}]}')).to.deep.equal(['body.tenant_id string_unicode'])
      const deep = `{"tenant_id":"acme","items":[{"metadata":${'['.repeat(200)}${']'.repeat(200)}}]}`
      expect(check(deep)[0]).to.match(/ too_deep$/)
      expect(check('{"tenant_id":"acme","items":[]}')).to.deep.equal(['body.items too_short'])
      expect(check('{"tenant_id":"acme","items":[1]}')).to.deep.equal(['body.items.0 dict_type'])
    })
  })

  describe('finds a route', () => {
    const found = (method: string, path: string) => {
      const match = contract.match(method, path)
      return match.kind === 'route' ? match.route.operationId : match.kind
    }

    it('by its literal path before a template', () => {
      expect(found('GET', '/api/v1/memories/stats')).to.equal('getMemoryStats')
      expect(found('GET', `/api/v1/memories/${ID}`)).to.equal('getMemory')
      expect(found('GET', '/api/v1/memories/bulk')).to.equal('method')
    })

    it('by a template where the literal path has no such method, if the contract says so', () => {
      expect(found('GET', '/api/v1/keystones/coverage')).to.equal('getKeystoneCoverage')
      expect(found('DELETE', '/api/v1/keystones/coverage')).to.equal('deleteKeystone')
      const match = contract.match('DELETE', '/api/v1/keystones/acknowledgements/')
      expect(match.kind === 'route' && match.rawParams).to.deep.equal({ doc_id: 'acknowledgements' })
      expect(found('POST', '/api/v1/keystones/coverage')).to.equal('method')
      expect(found('DELETE', '/api/v1/memories/stats')).to.equal('method')
    })

    it('never across a segment, and never by part of a path', () => {
      expect(found('GET', '/api/v1/memories/a/b')).to.equal('none')
      expect(found('GET', '/prefix/api/v1/memories')).to.equal('none')
      expect(found('GET', '/api/v1/memories/')).to.equal('listMemories')
      expect(found('GET', '/api/v1')).to.equal('none')
      expect(found('GET', '/')).to.equal('getRoot')
      expect(found('POST', '/')).to.equal('method')
    })

    it('by the more specific of two templates', () => {
      const at = (path: string) => ({ ...routeOf('getMemory'), operationId: path, path })
      const router = new Router([at('/a/{b}/{c}'), at('/a/{b}/edit')])
      const match = router.match('GET', '/a/1/edit')
      expect(match.kind === 'route' && match.route.operationId).to.equal('/a/{b}/edit')
    })
  })

  it('is served as it is written', () => {
    expect(openapiDocument()).to.include({ openapi: '3.1.0' })
    expect(validateAnswer('getOpenapi', 200, openapiDocument())).to.deep.equal([])
  })
})
