import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { cairnContract, validateAnswer } from '../../../http/validation/contract.js'
import { answerOfError, ERROR_CODES, type ErrorStatus, HttpError, InvalidRequestError } from '../../../http/errors.js'
import { dereference, openapiDocument, servedDocument } from '../../../contract/openapi-document.js'
import { operations } from '../../../api/operations.js'
import type { Route } from '../../../http/validation/routes.js'
import { Router } from '../../../http/validation/router.js'

const contract = cairnContract()
const ID = '0192f3a4-0000-7000-8000-000000000000'

function routeOf(operationId: string): Route {
  return contract.routes.find((route) => route.operationId === operationId)!
}

async function faultsOf(work: () => unknown): Promise<string[]> {
  try {
    await work()
    return []
  } catch (error) {
    return (error as InvalidRequestError).errors.map(({ loc, type }) => `${loc.join('.')} ${type}`)
  }
}

function errorWith(status: ErrorStatus): HttpError {
  return status === 422 ? InvalidRequestError.at(['body'], 'No.') : new HttpError(status, 'No.')
}

function read(operationId: string, text: string) {
  return contract.readBody(routeOf(operationId), Buffer.from(text))
}

describe('the contract', () => {
  it('has a function for every operation and an operation for every function', () => {
    const ids = contract.routes.map(({ operationId }) => operationId)
    expect(Object.keys(operations).sort()).to.deep.equal([...ids].sort())
  })

  it('compiles completely', () => {
    for (const { operationId } of contract.routes) contract.prepare(operationId)
  })

  it('requires a key on every route but the probes and its own description', () => {
    const open = contract.routes.filter(({ security }) => security === 'public').map(({ operationId }) => operationId)
    expect(open).to.have.members(['getRoot', 'getOpenapi', 'getHealth', 'getReady', 'getPublicStats'])
  })

  it('requires the admin credential on every admin route and nowhere else', () => {
    for (const { path, security } of contract.routes) {
      expect(security === 'adminKey', path).to.equal(/^(\/api\/v1)?\/admin\//.test(path))
    }
  })

  it('accepts the key in either header on every route that requires one', () => {
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

  it('counts bulk writes, recalls and searches, reviews, operators’ requests and other writes separately, and no reads', () => {
    const apart = {
      bulk: [
        'createMemories',
        'moveMemories',
        'archiveMemories',
        'redistributeMemories',
        'putDocuments',
        'listInstallable',
      ],
      recalls: ['recall', 'searchDocuments', 'listAliasProposals', 'getMemoryTimeline', 'getRecallStats'],
      inbox: [
        'listInbox',
        'getInboxSkill',
        'approveSkill',
        'editSkill',
        'rejectSkill',
        'quarantineSkill',
        'deferSkill',
        'restoreSkill',
        'overruleSkill',
      ],
      none: ['queryDocuments'],
      exempt: ['getHealth', 'getReady'],
    }
    for (const { operationId, method, security, rateLimiting } of contract.routes) {
      const [named] = Object.entries(apart).find(([, ids]) => ids.includes(operationId)) ?? []
      const usual = security === 'adminKey' ? 'inbox' : method === 'GET' ? 'none' : 'writes'
      expect(rateLimiting, operationId).to.equal(named ?? usual)
    }
  })

  it('has writers of one row wait for one another wherever a path or a key of the body names the row', () => {
    const turns = new Map(contract.routes.map(({ operationId, writtenRow }) => [operationId, writtenRow?.row]))
    // Two reviewers of one skill meet, so that one of them is told.
    const isOfOneRow = ({ method, path, security }: Route) =>
      security === 'apiKey' && method !== 'GET' && path.includes('{') && !path.includes('{slug}')
    const without = contract.routes.filter((route) => isOfOneRow(route) && route.writtenRow === null)
    expect(without.map(({ operationId }) => operationId)).to.deep.equal([])
    for (const [operationId, row] of [
      ['setKeystone', 'keystones'],
      ['deleteKeystone', 'keystones'],
      ['patchSettings', 'settings'],
      ['putDocument', 'document'],
    ] as const)
      expect(turns.get(operationId), operationId).to.equal(row)
    for (const operationId of ['createMemory', 'createMemories', 'putDocuments', 'recall'])
      expect(turns.get(operationId), operationId).to.equal(undefined)
  })

  it('declares for every operation the statuses that the transport itself may answer', () => {
    for (const { operationId, security, takesBody, rateLimiting } of contract.routes) {
      const own = [400, 408, 413, 417, 422, 431, 500, 504]
      if (rateLimiting !== 'exempt') own.push(429)
      if (security !== 'public') own.push(401, 403, 503)
      if (security === 'apiKey') own.push(404)
      if (takesBody) own.push(415)
      for (const status of own) {
        const { body } = answerOfError(errorWith(status as ErrorStatus), 'id')
        expect(validateAnswer(operationId, status, body)).to.deep.equal([])
      }
    }
  })

  it('gives every status its code', () => {
    for (const [status, code] of Object.entries(ERROR_CODES)) {
      const { body } = answerOfError(errorWith(Number(status) as ErrorStatus), 'id')
      expect(body).to.have.nested.property('error.code', code)
    }
  })

  describe('checks a response', () => {
    it('for its status', () => {
      expect(validateAnswer('deleteMemory', 204, undefined)).to.deep.equal([])
      expect(validateAnswer('deleteMemory', 200, {})).to.deep.equal(['deleteMemory does not declare 200'])
      expect(validateAnswer('deleteMemory', 204, {})).to.deep.equal(['deleteMemory 204 has no body'])
    })

    it('for its schema, with nothing missing and nothing extra', () => {
      expect(validateAnswer('getReady', 200, { status: 'ready' })).to.deep.equal([])
      expect(validateAnswer('getReady', 200, { status: 'ready', secret: 1 })[0]).to.include('additional properties')
      expect(validateAnswer('getReady', 200, {})[0]).to.include('required property')
      expect(validateAnswer('getReady', 200, undefined)).not.to.deep.equal([])
    })

    it('for the name of its operation', () => {
      expect(validateAnswer('getNothing', 200, {})).to.deep.equal(['getNothing is not in the contract'])
    })
  })

  describe('checks a write', () => {
    const check = (fields: object) => {
      const body = { tenant_id: 'acme', content: 'x', ...fields }
      return faultsOf(() => read('createMemory', JSON.stringify(body)))
    }

    it('and fills its defaults in', async () => {
      const { value } = await read('createMemory', '{"tenant_id":"acme","content":"x"}')
      expect(value).to.deep.equal({ tenant_id: 'acme', content: 'x', weight: 0.5, status: 'active' })
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
      [{ entity_links: ['Checkout', 7] }, ['body.entity_links.0 dict_type', 'body.entity_links.1 dict_type']],
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
      it(`${JSON.stringify(fields).slice(0, 70)} ${expected.length > 0 ? 'is refused' : 'is valid'}`, async () => {
        expect(await check(fields)).to.have.members(expected)
      })
    }

    it('and reports only the first fault of a large body', async () => {
      const entity_links = Array.from({ length: 40_000 }, () => 1)
      expect(await check({ entity_links, colour: 1 })).to.have.length(1)
    })

    it('and lists no more than a hundred faults', async () => {
      expect(await check({ entity_links: Array.from({ length: 101 }, () => 1) })).to.have.length(100)
    })

    it('and names the first five in its message', async () => {
      const entity_links = Array.from({ length: 101 }, () => 1)
      const body = JSON.stringify({ tenant_id: 'acme', content: 'x', entity_links })
      const error = await read('createMemory', body).catch((reason: unknown) => reason)
      expect((error as Error).message).to.match(/^(body\.entity_links\S*: [^;]+; ){5}and 95 more$/)
    })

    it('and cuts a long unknown name', async () => {
      expect(await check({ ['n'.repeat(5_000)]: 1 })).to.deep.equal([`body.${'n'.repeat(200)}… extra_forbidden`])
    })

    it('and accepts no names that are special in JavaScript', async () => {
      const faults = await faultsOf(() =>
        read('createMemory', '{"tenant_id":"acme","content":"x","__proto__":{"weight":1}}'),
      )
      expect(faults).to.deep.equal(['body.__proto__ extra_forbidden'])
    })
  })

  describe('refuses by its schemas', () => {
    const plain = new Ajv2020({ strict: false }).addFormat('uuid', true).addFormat('date-time', true)
    const accepts = (schema: object) => (value: unknown) => plain.validate(schema, value)
    const { components } = dereference(openapiDocument())
    const schemaOf = (name: string) => components!.schemas![name] as object
    const headerOf = (name: string) => accepts((components!.parameters![name] as { schema: object }).schema)

    it('texts of what nobody can read', () => {
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
          ['\u200b\u2060', false],
          [' a ', true],
        ] as const)
          expect(accepts(schemaOf(schema))({ ...fields, [name]: text }), `${schema} ${name} ${text}`).to.equal(isText)
    })

    it('invalid document ids', () => {
      const names = accepts(schemaOf('DocId'))
      for (const docId of ['a', 'a/b', 'a//b', '.a', 'a..', '...', '..a/.b', 'a b', 'é', '%2F', 'a\nb'])
        expect(names(docId), docId).to.equal(true)
      for (const docId of ['', '/a', 'a/', '/', '.', '..', 'a/../b', './a', 'a/.', 'a//..', 'x'.repeat(201)])
        expect(names(docId), docId).to.equal(false)
    })

    it('and takes no longer for a hostile name', async () => {
      const faults = await faultsOf(() => checkName(`${'/..a'.repeat(50)}/`.slice(1)))
      expect(faults).to.deep.equal(['path.doc_id string_pattern_mismatch'])
    })

    it('empty headers', () => {
      const good = { IdempotencyKey: ['a', '~'.repeat(255)], IfMatch: ['*', '"1"', 'W/"1", "2" ,"x-3"'], IfNone: ['*'] }
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

    it('with 400 and a plain message for broken header syntax', () => {
      const check = (headers: Record<string, string>) => () =>
        contract.checkParameters(routeOf('putDocument'), { params: {}, query: '', headers })
      expect(check({ 'if-match': '1' }))
        .to.throw(HttpError, 'If-Match: Must be * or a list of quoted entity tags.')
        .with.property('status', 400)
      expect(check({ 'if-none-match': '"1"' }))
        .to.throw(HttpError, 'If-None-Match: Must be *.')
        .with.property('status', 400)
      expect(check({ 'x-agent-id': 'a b' }))
        .to.throw(InvalidRequestError)
        .with.property('status', 422)
      expect(check({ 'if-match': '"1"', 'if-none-match': '*', 'x-agent-id': 'a' })).not.to.throw()
    })

    function checkName(docId: string): unknown {
      const params = { collection: 'c', doc_id: encodeURIComponent(docId) }
      return contract.checkParameters(routeOf('getDocument'), { params, query: '', headers: {} })
    }
  })

  it('makes a body optional exactly where an empty one is valid', async () => {
    for (const { operationId, path, method, takesBody } of contract.routes) {
      if (!takesBody) continue
      const item = openapiDocument().paths[path] as Record<string, { requestBody: { required?: boolean } }>
      const isValid = (await faultsOf(() => read(operationId, ''))).length === 0
      expect(item[method.toLowerCase()]!.requestBody.required !== true, operationId).to.equal(isValid)
    }
  })

  it('requires tenant_id where the interface does', async () => {
    for (const operationId of ['listKeystones', 'deleteKeystone', 'listCollections']) {
      const params: Record<string, string> = operationId === 'deleteKeystone' ? { doc_id: 'd' } : {}
      const faults = await faultsOf(() =>
        contract.checkParameters(routeOf(operationId), { params, query: '', headers: {} }),
      )
      expect(faults, operationId).to.deep.equal(['query.tenant_id missing'])
    }
    for (const operationId of ['createMemory', 'recall', 'searchDocuments', 'setKeystone'])
      expect(await faultsOf(() => read(operationId, '{}'))).to.include('body.tenant_id missing')
  })

  describe('checks the numbers in a caller’s own JSON', () => {
    const WRITE = '"tenant_id":"acme","content":"x"'
    const table: [operationId: string, text: string, faults: string[]][] = [
      ['createMemory', `{${WRITE},"metadata":{"id":9007199254740993}}`, ['body.metadata.id exact_number']],
      [
        'createMemory',
        `{${WRITE},"scope":{"a":[1e20,{"id":12345678901234567890.0}]}}`,
        ['body.scope.a.1.id exact_number'],
      ],
      ['createMemory', `{${WRITE},"metadata":{"a":1e400}}`, ['body.metadata.a finite_number']],
      ['createMemory', `{${WRITE},"metadata":{"a":-1e-400}}`, ['body.metadata.a nonzero_number']],
      ['createMemory', `{${WRITE},"metadata":{"a":0.1,"b":1e20,"c":9007199254740992,"d":-0.0,"e":1e308}}`, []],
      ['createMemory', `{${WRITE},"weight":1e-400}`, []],
      ['patchMemory', '{"metadata":{"id":9007199254740993}}', ['body.metadata.id exact_number']],
      ['patchMemory', '{"scope":{"id":9007199254740993}}', ['body.scope.id exact_number']],
      [
        'putDocument',
        '{"tenant_id":"acme","collection":"c","doc_id":"d","data":{"ids":[1,9007199254740993]}}',
        ['body.data.ids.1 exact_number'],
      ],
      [
        'queryDocuments',
        '{"tenant_id":"acme","collection":"c","where":{"id":9007199254740993}}',
        ['body.where.id exact_number'],
      ],
      [
        'recall',
        '{"tenant_id":"acme","query":"x","metadata_filter":{"id":1e400}}',
        ['body.metadata_filter.id finite_number'],
      ],
      [
        'recall',
        '{"tenant_id":"acme","query":"x","filter":{"not":{"metadata.id":1152921504606846976}}}',
        ['body.filter.not.metadata.id exact_number'],
      ],
    ]
    for (const [operationId, text, faults] of table)
      it(`${operationId} ${text.slice(0, 80)} ${faults.length > 0 ? 'is refused' : 'is valid'}`, async () =>
        expect(await faultsOf(() => read(operationId, text))).to.deep.equal(faults))
  })

  describe('checks the items of a bulk write', () => {
    const bulk = (...items: string[]) => `{"tenant_id":"acme","items":[${items.join(',')}]}`
    const readItems = async (...items: string[]) => {
      const { value, itemFaults } = await read('createMemories', bulk(...items))
      const faults = itemFaults.map((its) => its.map(({ loc, type }) => `${loc.join('.')} ${type}`).sort())
      return { items: (value as { items: unknown[] }).items, faults }
    }
    const deep = `{"metadata":${'['.repeat(200)}${']'.repeat(200)}}`

    it('one by one, with their locations', async () => {
      const { items, faults } = await readItems('{"content":"x"}', '{"content":"","colour":1}')
      expect(faults).to.deep.equal([
        [],
        ['body.items.1.colour extra_forbidden', 'body.items.1.content string_too_short'],
      ])
      expect(items[0]).to.deep.equal({ content: 'x', weight: 0.5, status: 'active' })
    })

    it('for what cannot be stored and what exceeds their limits, without refusing the others', async () => {
      const { items, faults } = await readItems(
        '{"content":"a\\u0000"}',
        deep,
        '{"content":"x","metadata":{"id":9007199254740993}}',
        `{"content":"x","metadata":{"a":[${'{},'.repeat(6_000)}{}]}}`,
        `{"content":"${'x'.repeat(1_048_576)}"}`,
        '{"content":"x"}',
      )
      expect(faults).to.deep.equal([
        ['body.items.0.content string_unicode'],
        [`body.items.1.metadata${'.0'.repeat(99)} too_deep`],
        ['body.items.2.metadata.id exact_number'],
        ['body.items.3.metadata too_large'],
        ['body.items.4 too_large'],
        [],
      ])
      expect(items[5]).to.include({ content: 'x' })
    })

    it('and keeps a digest of a refused one', async () => {
      const of = async (item: string) => JSON.stringify((await readItems(item)).items[0])
      expect(await of('{"content":""}')).to.equal(await of('{"content":""}'))
      expect(await of('{"content":""}')).not.to.equal(await of('{"content":" "}'))
      expect(await of(deep)).not.to.equal(await of(`${deep.slice(0, -1)} }`))
    })

    it('and lists at most ten faults of each', async () => {
      const fields = Array.from({ length: 50 }, (_, i) => `"f${i}":1`)
      const { faults } = await readItems(`{${fields.join(',')}}`)
      expect(faults[0]).to.have.length(10)
    })

    it('but refuses the whole request for faults of its own fields', async () => {
      const check = (text: string) => faultsOf(() => read('createMemories', text))
      expect(await check('{"tenant_id":"acme\\u0000","items":[{}]}')).to.deep.equal(['body.tenant_id string_unicode'])
      expect(await check(bulk())).to.deep.equal(['body.items too_short'])
      expect(await check(bulk('1'))).to.deep.equal(['body.items.0 dict_type'])
      expect(await check(bulk(`[${'{},'.repeat(60_000)}0]`))).to.deep.equal(['body.items.0 dict_type'])
      expect(await check(bulk(...Array<string>(501).fill('{}')))).to.deep.equal(['body.items too_long'])
      expect(await check('{"tenant_id":"acme","items":[{}],"items":[{"content":"x"}]}')).to.deep.equal([
        'body.items repeated',
      ])
      expect(await check('{"tenant_id":"acme","items":{}}')).to.deep.equal(['body.items list_type'])
      expect(await check('[]')).to.deep.equal(['body dict_type'])
    })

    it('of a bulk write of documents as well', async () => {
      const items = [
        '{"doc_id":"a","data":{"id":9007199254740993}}',
        '{"doc_id":"b","data":{"id":1}}',
        '{"agent_id":"a"}',
      ]
      const text = `{"tenant_id":"acme","collection":"c","\\u0069tems":[${items.join(',')}]}`
      const { itemFaults } = await read('putDocuments', text)
      expect(itemFaults.map(([fault]) => fault?.type)).to.deep.equal(['exact_number', undefined, 'missing'])
    })

    it('and yields to the event loop between them, and stops when its signal is aborted', async () => {
      const text = bulk(
        ...Array.from({ length: 500 }, (_, i) => `{"content":"${i}","metadata":{"a":[${'{},'.repeat(4_000)}0]}}`),
      )
      const gone = new AbortController()
      const reading = contract.readBody(routeOf('createMemories'), Buffer.from(text), gone.signal)
      // Without yielding in between, the body would be read before.
      setImmediate(() => gone.abort(new Error('gone')))
      expect(await reading.catch((error: Error) => error.message)).to.equal('gone')
    })
  })

  describe('finds a route', () => {
    const found = (method: string, path: string) => {
      const match = contract.match(method, path)
      return match.kind === 'route' ? match.route.operationId : match.kind
    }

    it('by a literal path before a template', () => {
      expect(found('GET', '/api/v1/memories/stats')).to.equal('getMemoryStats')
      expect(found('GET', `/api/v1/memories/${ID}`)).to.equal('getMemory')
      expect(found('GET', '/api/v1/memories/bulk')).to.equal('method')
    })

    it('by a template where the literal path lacks the method, if the contract says so', () => {
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

    it('whose parameter has slashes, also where its value looks like a longer path', () => {
      const paramsOf = (method: string, path: string) => {
        const match = contract.match(method, path)
        return match.kind === 'route' ? [match.route.operationId, match.rawParams.slug] : [match.kind]
      }
      expect(paramsOf('GET', '/api/v1/skills-inbox/agent/approve')).to.deep.equal(['getInboxSkill', 'agent/approve'])
      expect(paramsOf('POST', '/api/v1/skills-inbox/agent/approve')).to.deep.equal(['approveSkill', 'agent'])
      expect(paramsOf('POST', '/api/v1/skills-inbox/agent/approve/edit')).to.deep.equal(['editSkill', 'agent/approve'])
      expect(paramsOf('DELETE', '/api/v1/skills-inbox/agent/approve')).to.deep.equal(['method'])
    })

    it('by the more specific of two templates', () => {
      const at = (path: string) => ({ ...routeOf('getMemory'), operationId: path, path })
      const router = new Router([at('/a/{b}/{c}'), at('/a/{b}/edit')])
      const match = router.match('GET', '/a/1/edit')
      expect(match.kind === 'route' && match.route.operationId).to.equal('/a/{b}/edit')
    })
  })

  it('is itself an answer that it declares', () => {
    expect(servedDocument()).to.include({ openapi: '3.1.0' })
    expect(validateAnswer('getOpenapi', 200, servedDocument())).to.deep.equal([])
  })
})
