import { expect } from 'chai'
import { asWritten, faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { newTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const UNKNOWN = '01890000-0000-7000-8000-000000000000'
const soon = () => new Date(Date.now() + 3_600_000).toISOString()

/** Tests POST /memories and GET /memories/{id}. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('writing a memory', () => {
    let ana: Caller
    before(async () => {
      ana = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red' })
    })

    it('returns every field that was written, on the write and on reads', async () => {
      const other = await ana.memories
        .create({
          content: 'Acme exists.',
          entity_links: [{ name: 'Acme', entity_type: 'company' }],
        })
        .ok()
      const acme = other.entity_links[0]!.entity_id
      const expires = soon()
      const given = {
        content: 'Ana works at Acme.',
        title: 'Work',
        memory_type: 'decision',
        weight: 0.75,
        source_uri: 'https://a.example/x?y#z',
        run_id: 'run#7',
        language: 'en',
        metadata: { a: 1, b: [true, null, { c: 'é' }], d: 'text', e: 1.5 },
        entity_links: [
          { entity_id: acme, role: 'employer' },
          { name: ' Ana ', entity_type: 'person' },
        ],
        expires_at: expires,
        ts_valid_start: '2024-05-01T12:00:00+02:00',
        ts_valid_end: '2025-05-01T00:00:00.123456Z',
        subject_entity_id: acme,
        predicate: 'works_at',
        object_value: 'Acme',
        status: 'confirmed',
        visibility: 'scope_org',
        confidence: 0.25,
        scope: { region: 'eu' },
        agent_id: 'ana',
        fleet_id: 'red',
      }
      const { entity_links: _, ...plain } = given
      const before = Date.now()
      const answer = await ana.memories.create(given)
      expect(answer.status).to.equal(201)
      const { id, created_at, updated_at, entity_links, usage, ...record } = answer.body
      expect(record).to.deep.equal({
        ...plain,
        tenant_id: ana.tenantId,
        agent_display_name: null,
        system_metadata: {},
        similarity: null,
        score: null,
        score_parts: null,
        ts_valid_start: '2024-05-01T10:00:00.000Z',
        ts_valid_end: '2025-05-01T00:00:00.123Z',
        recall_count: 0,
        last_recalled_at: null,
        supersedes_id: null,
        superseded_by: [],
        is_inferred: false,
        version: 1,
      })
      expect(Date.parse(created_at)).to.be.within(before, Date.now())
      expect(updated_at).to.equal(created_at)
      expect(usage).to.deep.equal({ memories_stored: 2, memories_limit: null, writes_remaining: null })
      expect(entity_links).to.deep.equal([
        { entity_id: acme, name: 'Acme', entity_type: null, role: 'employer', origin: 'caller' },
        { entity_id: entity_links[1]!.entity_id, name: 'Ana', entity_type: 'person', role: null, origin: 'caller' },
      ])
      expect(answer.headers.get('ETag')).to.equal('"1"')

      const read = await ana.memories.get(id)
      expect(read.status).to.equal(200)
      expect(asWritten(read.body)).to.deep.equal({ ...answer.body, usage: null })
      expect(read.headers.get('ETag')).to.equal('"1"')
      const [listed] = await ana.memories.listAll({ run_id: 'run#7' })
      expect(asWritten(listed!)).to.deep.equal(asWritten(read.body))
    })

    it('fills in defaults', async () => {
      const record = await ana.memories.create({ content: '  Plain.\n' }).ok()
      expect(record).to.include({
        content: '  Plain.\n',
        agent_id: 'ana',
        fleet_id: 'red',
        memory_type: 'fact',
        title: null,
        weight: 0.5,
        source_uri: null,
        run_id: null,
        expires_at: null,
        subject_entity_id: null,
        predicate: null,
        object_value: null,
        ts_valid_start: null,
        ts_valid_end: null,
        status: 'active',
        visibility: 'scope_team',
        confidence: null,
        scope: null,
      })
      expect(record.metadata).to.deep.equal({})
      expect(record.entity_links).to.deep.equal([])
    })

    it('stores a weight and a confidence that are too small for four bytes as 0', async () => {
      const record = await ana.memories.create({ content: 'Light.', weight: 1e-50, confidence: 1e-300 }).ok()
      expect(record).to.include({ weight: 0, confidence: 0 })
    })

    it('refuses numbers that would lose digits or expand to many times their bytes, in a change too, and accepts others', async () => {
      const { tenantId: tenant_id } = ana
      const headers = { 'Content-Type': 'application/json' }
      const send = (method: string, path: string, fields: string) =>
        ana.raw(method, path, { body: `{"tenant_id":${JSON.stringify(tenant_id)},${fields}}`, headers })
      const exact = '{"id":9007199254740992,"ratio":0.1,"mole":6.02214076e23,"most":1e308}'
      const { status, body } = await send('POST', '/api/v1/memories', `"content":"Counted.","metadata":${exact}`)
      expect([status, body.metadata]).to.deep.equal([201, JSON.parse(exact)])
      const many = `[${Array<string>(2_000).fill('1e308').join(',')}]`
      for (const [value, at] of [
        ['{"id":9007199254740993}', '.id'],
        ['{"a":[1,12345678901234567890.0]}', '.a.1'],
        ['{"a":1e400}', '.a'],
        ['{"a":1e-400}', '.a'],
        [`{"a":${many}}`, ''],
      ])
        for (const field of ['metadata', 'scope']) {
          const faults = [`body.${field}${at}`]
          expect(
            faultsOf(await send('POST', '/api/v1/memories', `"content":"Lost.","${field}":${value}`)),
          ).to.deep.equal(faults)
          expect(faultsOf(await send('PATCH', `/api/v1/memories/${body.id}`, `"${field}":${value}`))).to.deep.equal(
            faults,
          )
        }
      expect((await ana.memories.get(body.id)).body).to.deep.include({
        version: 1,
        metadata: JSON.parse(exact) as object,
      })
    })

    it('treats null like an absent field', async () => {
      const nulls = [
        'title',
        'source_uri',
        'run_id',
        'expires_at',
        'ts_valid_start',
        'ts_valid_end',
        'confidence',
        'scope',
      ]
      const more = ['subject_entity_id', 'predicate', 'object_value', 'agent_id', 'fleet_id']
      const record = await ana.memories
        .create({
          content: 'Nulls.',
          ...Object.fromEntries([...nulls, ...more].map((field) => [field, null])),
        })
        .ok()
      expect(record).to.include({ title: null, run_id: null, agent_id: 'ana', fleet_id: 'red' })
    })

    it('stores the type semantic as fact, and every other type unchanged', async () => {
      const types = 'fact episode decision preference task intention plan commitment action cancellation'.split(' ')
      for (const type of types)
        expect((await ana.memories.create({ content: `A ${type}.`, memory_type: type }).ok()).memory_type).to.equal(
          type,
        )
      expect((await ana.memories.create({ content: 'Semantic.', memory_type: 'semantic' }).ok()).memory_type).to.equal(
        'fact',
      )
    })

    it('accepts an id in capitals', async () => {
      const { id, entity_links } = await ana.memories
        .create({ content: 'Capital ids.', entity_links: [{ name: 'Capital' }] })
        .ok()
      const entityId = entity_links[0]!.entity_id.toUpperCase()
      expect((await ana.memories.get(id.toUpperCase())).body.id).to.equal(id)
      const linked = await ana.memories
        .create({
          content: 'Linked by capital ids.',
          entity_links: [{ entity_id: entityId }],
          subject_entity_id: entityId,
        })
        .ok()
      expect(linked.entity_links[0]!.entity_id).to.equal(entity_links[0]!.entity_id)
    })

    it('links an entity once for each role, and treats two spellings of a name as one', async () => {
      const { entity_links: links } = await ana.memories
        .create({
          content: 'Roles.',
          entity_links: [
            { name: 'Globex', role: 'buyer' },
            { name: ' GLOBEX ', role: 'seller' },
            { name: 'globex', role: 'buyer' },
          ],
        })
        .ok()
      expect(links.map(({ name, role }) => [name, role])).to.deep.equal([
        ['Globex', 'buyer'],
        ['Globex', 'seller'],
      ])
      expect(links[0]!.entity_id).to.equal(links[1]!.entity_id)
    })

    describe('has limits:', () => {
      const text = (length: number, character = 'x') => character.repeat(length)
      const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
      const taken: [limit: string, fields: object][] = [
        ['10,000 characters of content', { content: `A ${text(9_998)}` }],
        ['10,000 characters outside of the BMP', { content: `😀${text(9_999, '🦊')}` }],
        [
          '10,000 characters within any white space',
          { content: `${text(5_000, ' ')}B ${text(9_998)}${text(5_000, '\n')}` },
        ],
        ['a title of 200 characters', { content: 'T200', title: text(200, '🦊') }],
        ['16 KiB of metadata', { content: 'M16', metadata: sized(16_384) }],
        ['16 KiB of scope', { content: 'S16', scope: sized(16_384) }],
        ['a run_id of 200 characters', { content: 'R200', run_id: text(200, '𠮷') }],
        ['100 entities', { content: 'E100', entity_links: [...Array(100).keys()].map((i) => ({ name: `E ${i}` })) }],
        ['a name of 200 characters', { content: 'N200', entity_links: [{ name: text(200, 'ﷺ') }] }],
        ['weight and confidence 0', { content: 'W0', weight: 0, confidence: 0 }],
        ['weight and confidence 1', { content: 'W1', weight: 1, confidence: 1 }],
        [
          'the first and the last instant',
          { content: 'I', ts_valid_start: '0001-01-01T00:00:00Z', ts_valid_end: '9999-12-31T23:59:59.999Z' },
        ],
        ['nesting to 90 levels', { content: 'D90', metadata: nested(90) }],
      ]
      for (const [limit, fields] of taken)
        it(`accepts ${limit}`, async () => {
          const stored = await ana.memories.create(fields).ok()
          expect(asWritten((await ana.memories.get(stored.id)).body)).to.deep.equal({ ...stored, usage: null })
        })

      const entity = (fields: object) => ({ entity_links: [fields] })
      const refused: [what: string, fields: Record<string, unknown>, at: string][] = [
        ['no content', {}, 'body.content'],
        ['empty content', { content: '' }, 'body.content'],
        ['content of white space', { content: ' \n\t\u00a0' }, 'body.content'],
        ['10,001 characters of content', { content: text(10_001) }, 'body.content'],
        ['content that is no text', { content: 7 }, 'body.content'],
        ['content null', { content: null }, 'body.content'],
        ['U+0000 in content', { content: 'a\0b' }, 'body.content'],
        ['half of a surrogate pair in content', { content: 'a\ud83e' }, 'body.content'],
        ['U+0000 in metadata', { metadata: { a: ['\0'] } }, 'body.metadata.a.0'],
        ['half of a surrogate pair in a key', { metadata: { 'k\ude00': 1 } }, 'body.metadata.k\ufffd'],
        ['a title of 201 characters', { title: text(201) }, 'body.title'],
        ['metadata over 16 KiB', { metadata: sized(16_385) }, 'body.metadata'],
        ['metadata over 16 KiB in bytes', { metadata: { a: text(6_000, 'ẞ') } }, 'body.metadata'],
        ['metadata that is a list', { metadata: [] }, 'body.metadata'],
        ['nesting beyond 100 levels', { metadata: nested(120) }, `body.metadata${'.a'.repeat(99)}`],
        ['a scope over 16 KiB', { scope: sized(16_385) }, 'body.scope'],
        ['weight above 1', { weight: 1.01 }, 'body.weight'],
        ['weight below 0', { weight: -0.01 }, 'body.weight'],
        ['weight as text', { weight: '0.5' }, 'body.weight'],
        ['confidence above 1', { confidence: 2 }, 'body.confidence'],
        ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }, 'body.expires_at'],
        ['an expiry without offset', { expires_at: '2030-01-01T00:00:00' }, 'body.expires_at'],
        ['a day without time', { expires_at: '2030-01-01' }, 'body.expires_at'],
        ['30 February', { ts_valid_start: '2030-02-30T00:00:00Z' }, 'body.ts_valid_start'],
        ['a leap second', { ts_valid_start: '2016-12-31T23:59:60Z' }, 'body.ts_valid_start'],
        ['the year 0', { ts_valid_start: '0000-01-01T00:00:00Z' }, 'body.ts_valid_start'],
        [
          'an end at the start',
          { ts_valid_start: '2024-01-01T00:00:00Z', ts_valid_end: '2024-01-01T00:00:00Z' },
          'body.ts_valid_end',
        ],
        [
          'an end before the start',
          { ts_valid_start: '2024-01-01T00:00:00Z', ts_valid_end: '2023-01-01T00:00:00Z' },
          'body.ts_valid_end',
        ],
        ['an unknown type', { memory_type: 'dream' }, 'body.memory_type'],
        ...['outcome', 'rule', 'insight'].map((type): [string, Record<string, unknown>, string] => [
          `the service's own type ${type}`,
          { memory_type: type },
          'body.memory_type',
        ]),
        ...['cancelled', 'outdated', 'conflicted', 'archived', 'deleted'].map(
          (status): [string, Record<string, unknown>, string] => [`status ${status}`, { status }, 'body.status'],
        ),
        ['an unknown visibility', { visibility: 'scope_all' }, 'body.visibility'],
        ['an empty run_id', { run_id: '' }, 'body.run_id'],
        ['a run_id of 201 characters', { run_id: text(201) }, 'body.run_id'],
        ['a malformed agent_id', { agent_id: 'a b' }, 'body.agent_id'],
        ['a malformed fleet_id', { fleet_id: 'ä ö' }, 'body.fleet_id'],
        ['a malformed entity id', entity({ entity_id: 'x' }), 'body.entity_links.0.entity_id'],
        ['an entity with both id and name', entity({ entity_id: UNKNOWN, name: 'x' }), 'body.entity_links.0'],
        ['an entity with neither', entity({ role: 'x' }), 'body.entity_links.0'],
        ['an entity without a visible name', entity({ name: '\u200b' }), 'body.entity_links.0.name'],
        ['an entity of an empty name', entity({ name: ' ' }), 'body.entity_links.0.name'],
        ['an entity of a long name', entity({ name: text(201) }), 'body.entity_links.0.name'],
        ['an unknown field of an entity', entity({ name: 'x', id: UNKNOWN }), 'body.entity_links.0.id'],
        [
          '101 entities',
          { entity_links: [...Array(101).keys()].map((i) => ({ name: `E ${i}` })) },
          'body.entity_links',
        ],
        ['a malformed subject', { subject_entity_id: 'x' }, 'body.subject_entity_id'],
        ['an unknown field', { priority: 1 }, 'body.priority'],
        [
          'an unknown field __proto__',
          JSON.parse('{"__proto__": {"weight": 1}}') as Record<string, unknown>,
          'body.__proto__',
        ],
        ['a malformed supersedes_id', { supersedes_id: 'x' }, 'body.supersedes_id'],
        ['a field of the service', { is_inferred: true }, 'body.is_inferred'],
        ['system_metadata', { system_metadata: {} }, 'body.system_metadata'],
        ['an id of the caller’s', { id: UNKNOWN }, 'body.id'],
      ]
      for (const [what, fields, at] of refused)
        it(`refuses ${what} with a 422 that names the field`, async () => {
          const content = 'content' in fields || what === 'no content' ? {} : { content: `Refused for ${what}.` }
          const answer = await ana.memories.create({ ...content, ...fields })
          expect(faultsOf(answer)).to.deep.equal([at])
          expect(answer.body.error.code).to.equal('INVALID_ARGUMENTS')
        })

      it('refuses a number that JSON cannot represent', async () => {
        const body = `{"tenant_id": "${ana.tenantId}", "content": "Big.", "metadata": {"a": 1e999}}`
        const headers = { 'Content-Type': 'application/json' }
        const answer = await ana.raw('POST', '/api/v1/memories', { body, headers })
        expect(faultsOf(answer)).to.deep.equal(['body.metadata.a'])
      })

      it('reports every fault', async () => {
        const answer = await ana.memories.create({ content: '', weight: 2, colour: 'red' })
        expect(faultsOf(answer)).to.have.members(['body.content', 'body.weight', 'body.colour'])
      })

      it('refuses a missing tenant_id', async () => {
        const answer = await ana.call('createMemory', { body: { content: 'Nobody’s.' } })
        expect(faultsOf(answer)).to.deep.equal(['body.tenant_id'])
      })

      it('refuses scope_agent without an acting agent', async () => {
        const key = await newTenant(service()).caller()
        const fields = { content: 'Mine.', visibility: 'scope_agent' }
        expect(faultsOf(await key.memories.create(fields))).to.deep.equal(['body.visibility'])
        expect((await key.memories.create({ ...fields, agent_id: 'new' })).status).to.equal(201)
      })

      it('answers 404 for an unknown entity, and stores nothing', async () => {
        const total = await ana.memories.total()
        for (const fields of [{ subject_entity_id: UNKNOWN }, entity({ entity_id: UNKNOWN })]) {
          const answer = await ana.memories.create({ content: 'Of an unknown entity.', ...fields })
          expect(answer.status).to.equal(404)
          expect(answer.body.error).to.deep.equal({ code: 'NOT_FOUND', message: 'Entity not found.' })
        }
        expect(await ana.memories.total()).to.equal(total)
      })
    })

    describe('reading by id', () => {
      it('answers 404 for an unknown id', async () => {
        expect((await ana.memories.get(UNKNOWN)).status).to.equal(404)
        expect((await ana.memories.delete(UNKNOWN)).status).to.equal(404)
      })

      for (const id of ['x', '7', `${UNKNOWN}0`, `urn:uuid:${UNKNOWN}`, "' or 1=1 --"])
        it(`answers 422 for the malformed id ${id}`, async () => {
          expect(faultsOf(await ana.memories.get(id))).to.deep.equal(['path.memory_id'])
          expect(faultsOf(await ana.memories.delete(id))).to.deep.equal(['path.memory_id'])
        })

      it('accepts a trailing slash', async () => {
        const { id } = await ana.memories.create('Slashed.').ok()
        expect((await ana.get(`/api/v1/memories/${id}/`)).body.id).to.equal(id)
      })

      it('refuses an unknown query parameter', async () => {
        const { id } = await ana.memories.create('Asked for strangely.').ok()
        expect(faultsOf(await ana.memories.get(id, { include_delete: true }))).to.deep.equal(['query.include_delete'])
      })

      it('shows the current display name of the author', async () => {
        const tenant = newTenant(service())
        const ben = await tenant.caller({ agentId: 'ben' })
        const { id } = await ben.memories.create('Named later.').ok()
        const body = { tenant_id: tenant.id, display_name: 'Ben B.' }
        await tenant.admin.agents.patch('ben', body)
        expect((await ben.memories.get(id)).body.agent_display_name).to.equal('Ben B.')
      })
    })
  })
})

/** Returns `{a: {a: … 1}}`, this many objects deep. */
function nested(levels: number): Record<string, unknown> {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = { a: value }
  return value as Record<string, unknown>
}
