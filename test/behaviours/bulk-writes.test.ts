import { expect } from 'chai'
import { faultsOf, itemFaultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const UNKNOWN = '01890000-0000-7000-8000-000000000000'

/** POST /memories/bulk. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('writing in bulk', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })

    it('stores 500 items at once, in their order', async () => {
      const items = [...Array(500).keys()].map((i) => ({ content: `Item ${i}.`, run_id: 'all' }))
      const answer = await ana.memories.createMany(items)
      expect(answer.status).to.equal(200)
      const { created, duplicates, errors, results, usage } = answer.body
      expect({ created, duplicates, errors }).to.deep.equal({ created: 500, duplicates: 0, errors: 0 })
      expect(usage).to.deep.equal({ memories_stored: 500, memories_limit: null, writes_remaining: null })
      expect(results.map(({ index }: { index: number }) => index)).to.deep.equal([...Array(500).keys()])
      const stored = new Map((await ana.memories.listAll()).map((row) => [row.id, row.content]))
      for (const { index, status, id } of results) {
        expect(status).to.equal('created')
        expect(stored.get(id!)).to.equal(`Item ${index}.`)
      }
    })

    it('accepts every field of a write in each item, and uses the request’s agent and fleet', async () => {
      const key = await tenant.caller()
      const fields = { agent_id: 'new', fleet_id: 'blue' }
      const item = { content: 'Full.', title: 'T', memory_type: 'semantic', visibility: 'scope_agent', weight: 0.9 }
      const answer = await key.memories.createMany([{ ...item, entity_links: [{ name: 'Acme' }] }], fields)
      expect(answer.status).to.equal(200)
      const { body } = await key.actingAs('new').memories.get(answer.body.results[0]!.id!)
      expect(body).to.include({ ...item, ...fields, memory_type: 'fact' })
      expect(body.entity_links[0]).to.include({ name: 'Acme' })
    })

    it('stores the valid items of a mixed request, and reports the fault of each other item', async () => {
      const known = await ana.memories.create('Known.').ok()
      const answer = await ana.memories.createMany([
        { content: 'Sound.' },
        { content: 'Known. \r\n' },
        { content: '' },
        { content: 'Heavy.', weight: 7, colour: 'red' },
        { content: 'Past.', expires_at: '2020-01-01T00:00:00Z' },
        { content: 'Of nobody.', subject_entity_id: UNKNOWN },
        { content: 'a\0b' },
        { content: 'Sound.\t' },
        { content: 'Last.' },
      ])
      expect(answer.status).to.equal(207)
      const { created, duplicates, errors, results } = answer.body
      expect({ created, duplicates, errors }).to.deep.equal({ created: 2, duplicates: 2, errors: 5 })
      expect(results.map(({ status }: { status: string }) => status)).to.deep.equal([
        'created',
        'duplicate',
        'error',
        'error',
        'error',
        'error',
        'error',
        'duplicate',
        'created',
      ])
      expect(results[1]!.id).to.equal(known.id)
      expect(results[7]!.id).to.equal(results[0]!.id)
      const locs = [2, 3, 4, 6].map((index) => {
        expect(results[index]!.error!.code).to.equal('INVALID_ARGUMENTS')
        return itemFaultsOf(results[index]!).sort()
      })
      expect(locs).to.deep.equal([
        ['body.items.2.content'],
        ['body.items.3.colour', 'body.items.3.weight'],
        ['body.items.4.expires_at'],
        ['body.items.6.content'],
      ])
      expect(results[5]!.error).to.deep.equal({ code: 'NOT_FOUND', message: 'Entity not found.' })
      expect(await ana.memories.total()).to.equal(3)
    })

    it('stores a weight that is too small for four bytes as 0', async () => {
      const answer = await ana.memories.createMany([{ content: 'Sound.' }, { content: 'Light.', weight: 1e-50 }])
      expect(answer.status).to.equal(200)
      expect((await ana.memories.get(answer.body.results[1]!.id!)).body.weight).to.equal(0)
    })

    it('answers 207 when nothing at all was stored', async () => {
      const answer = await ana.memories.createMany([{ content: '' }, {}])
      expect(answer.status).to.equal(207)
      expect(answer.body).to.include({ created: 0, errors: 2 })
    })

    const refused: [what: string, items: unknown, fields: Record<string, unknown>, at: string[]][] = [
      ['no items', [], {}, ['body.items']],
      ['items that are no list', {}, {}, ['body.items']],
      ['an item that is no object', [{ content: 'x' }, 'x'], {}, ['body.items.1']],
      ['501 items', Array.from({ length: 501 }, () => ({ content: 'x' })), {}, ['body.items']],
      ['an unknown field', [{ content: 'x' }], { colour: 1 }, ['body.colour']],
      [
        'an item that names its agent',
        [{ content: 'x' }, { content: 'y', agent_id: 'ana' }],
        {},
        ['body.items.1.agent_id'],
      ],
      ['an item that names its fleet', [{ content: 'x', fleet_id: null }], {}, ['body.items.0.fleet_id']],
      ['an item that names its tenant', [{ content: 'x', tenant_id: 't' }], {}, ['body.items.0.tenant_id']],
      [
        'items that name all of them',
        [{ content: 'x', tenant_id: 't', agent_id: 'a' }, { fleet_id: 'f' }],
        {},
        ['body.items.0.tenant_id', 'body.items.0.agent_id', 'body.items.1.fleet_id'],
      ],
    ]
    for (const [what, items, fields, at] of refused)
      it(`refuses ${what} as a whole, and stores nothing`, async () => {
        expect(faultsOf(await ana.memories.createMany(items as unknown[], fields))).to.deep.equal(at)
        expect(await ana.memories.total()).to.equal(0)
      })

    it('accepts a body of 16 MiB, and refuses a larger one with 413', async () => {
      const headers = { 'Content-Type': 'application/json' }
      const body = JSON.stringify({ tenant_id: tenant.id, items: [{ content: 'Padded.' }] })
      const sized = (bytes: number) => body + ' '.repeat(bytes - body.length)
      const post = (bytes: number) => ana.raw('POST', '/api/v1/memories/bulk', { body: sized(bytes), headers })
      expect((await post(16 * 1024 * 1024)).status).to.equal(200)
      const large = await post(16 * 1024 * 1024 + 1)
      expect(large.status).to.equal(413)
      expect(large.body.error.code).to.equal('PAYLOAD_TOO_LARGE')
    })

    it('refuses only the items beyond their limits, also in a replay', async () => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'bounds' }
      const deep = `${'['.repeat(200)}${']'.repeat(200)}`
      const text = (content: string, pad: string) =>
        `{"tenant_id":"${tenant.id}","\\u0069tems":[{"content":"${content}"},${[
          `{"content":"Wide.","metadata":{"a":[${'{},'.repeat(60_000)}{}]}}`,
          `{"content":"Deep.","metadata":{"a":${deep}}}`,
          `{"content":"Long.${pad}","title":"${'x'.repeat(1_048_576)}"}`,
          '{"metadata":{"id":12345678901234567890},"content":"Exact."}',
        ].join(',')}]}`
      const post = (body: string) => ana.raw('POST', '/api/v1/memories/bulk', { body, headers })
      const { status, body } = await post(text('Sound.', ''))
      expect([status, body.created, body.errors]).to.deep.equal([207, 1, 4])
      const types = (body.results as { error?: { details: { errors: { type: string }[] } } }[]).map(({ error }) =>
        error?.details.errors.map(({ type }) => type),
      )
      expect(types).to.deep.equal([
        undefined,
        ['too_many_values', 'too_large'],
        ['too_deep'],
        ['too_large'],
        ['exact_number'],
      ])
      expect((await post(text('Sound.', ''))).body).to.deep.equal(body)
      expect(faultsOf(await post(text('Sound.', ' ')))).to.deep.equal(['header.Idempotency-Key'])
      expect(faultsOf(await post(text('Other.', '')))).to.deep.equal(['header.Idempotency-Key'])
      expect(await ana.memories.total()).to.equal(1)
    })

    it('refuses a repeated `items` field, and treats special names as ordinary ones', async () => {
      const headers = { 'Content-Type': 'application/json' }
      const post = (fields: string) =>
        ana.raw('POST', '/api/v1/memories/bulk', { body: `{"tenant_id":"${tenant.id}",${fields}}`, headers })
      expect(faultsOf(await post('"items":[{"content":"a"}],"items":[{"content":"b"}]'))).to.deep.equal(['body.items'])
      expect(faultsOf(await post('"items":[{"content":"a"}],"__proto__":{"items":[]}'))).to.deep.equal([
        'body.__proto__',
      ])
      expect((await post('"items":[{"content":"a"}]')).status).to.equal(200)
      expect((await post('"items":[{"content":"b"}]')).status).to.equal(200)
      expect((await post('"items":[{"content":"c"},]')).status).to.equal(400)
      const own = await post('"items":[{"content":"d","__proto__":{"content":"e"}}]')
      expect(own.body.results[0].error.details.errors[0].loc).to.deep.equal(['body', 'items', '0', '__proto__'])
      expect(await ana.memories.total()).to.equal(2)
    })

    it('does not deadlock two requests with the same texts in opposite order', async () => {
      const items = [...Array(100).keys()].map((i) => ({ content: `Shared ${i}.`, entity_links: [{ name: `E ${i}` }] }))
      const answers = await Promise.all(
        [...Array(6).keys()].map((i) => ana.memories.createMany(i % 2 === 0 ? items : [...items].reverse())),
      )
      const sum = (field: 'created' | 'duplicates' | 'errors') =>
        answers.reduce((total, { body }) => total + body[field], 0)
      expect([sum('created'), sum('duplicates'), sum('errors')]).to.deep.equal([100, 500, 0])
      expect(await ana.memories.total()).to.equal(100)
    })
  })
})
