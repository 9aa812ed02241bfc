import { expect } from 'chai'
import type pg from 'pg'
import { withConnection } from '../../store/connection.js'
import { faultsOf, itemFaultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import type { DocumentRecord } from '../support/clients/documents.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** POST, GET and DELETE of documents, and their collections. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('a document', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })
    const tagOf = async (collection: string, docId: string) =>
      (await ana.documents.get(collection, docId)).headers.get('ETag')!

    it('is stored under its name, and read as it was written', async () => {
      const data = { title: 'Deploy', tags: ['a', { b: null }], count: 3, ratio: 0.1, open: true }
      const { status, body, headers } = await ana.documents.put('run-books', 'deploy/staging', data)
      expect(status).to.equal(200)
      const { id, created_at, ...record } = body as DocumentRecord
      expect(id).to.match(UUID_V7)
      expect(record).to.deep.equal({
        tenant_id: tenant.id,
        language: null,
        fleet_id: 'red',
        collection: 'run-books',
        doc_id: 'deploy/staging',
        data,
        version: 1,
        system_metadata: {},
        updated_at: created_at,
      })
      expect(headers.get('ETag')).to.match(/^"[^"]+"$/)
      const read = await ana.documents.get('run-books', 'deploy/staging')
      expect([read.status, read.headers.get('ETag')]).to.deep.equal([200, headers.get('ETag')])
      expect(read.body).to.deep.equal(body)
    })

    it('is replaced completely by the next write, which keeps its id', async () => {
      const first = await ana.documents.put('c', 'd', { a: 1, b: 2 }).ok()
      const second = await ana.documents.put('c', 'd', { b: 3 }).ok()
      expect(second).to.deep.equal({ ...first, data: { b: 3 }, version: 2, updated_at: second.updated_at })
      expect(second.updated_at >= first.updated_at).to.equal(true)
      expect((await ana.documents.get('c', 'd')).body).to.deep.equal(second)
    })

    it('gets no new version by the same data, in whichever order of keys', async () => {
      const first = await ana.documents.put('c', 'd', { a: 1, b: { c: 1.5, d: 'x' } }).ok()
      const tag = await tagOf('c', 'd')
      const again = await ana.documents.put('c', 'd', { b: { d: 'x', c: 1.5 }, a: 1.0 })
      expect(again.body).to.deep.equal({ ...first, data: again.body.data })
      expect(again.headers.get('ETag')).to.equal(tag)
      const operator = await tenant.caller({ trust: 3 })
      expect((await operator.audit.list({ subject_id: first.id })).body.items).to.have.length(1)
    })

    it('is changed with If-Match only if the version matches', async () => {
      await ana.documents.put('c', 'd', { a: 1 }).ok()
      const first = await tagOf('c', 'd')
      const changed = await ana.documents.put('c', 'd', { a: 2 }, {}, { 'If-Match': first })
      expect(changed.status).to.equal(200)
      const late = await ana.documents.put('c', 'd', { a: 3 }, {}, { 'If-Match': first })
      expect([late.status, late.body.error.details]).to.deep.equal([409, { current_version: 2 }])
      expect(
        (await ana.documents.put('c', 'd', { a: 4 }, {}, { 'If-Match': `${first}, ${changed.headers.get('ETag')}` }))
          .body.version,
      ).to.equal(3)
      expect((await ana.documents.put('c', 'd', { a: 5 }, {}, { 'If-Match': '*' })).body.version).to.equal(4)
      expect((await ana.documents.put('c', 'd', { a: 6 }, {}, { 'If-Match': '4' })).status).to.equal(400)
      expect((await ana.documents.get('c', 'd')).body.data).to.deep.equal({ a: 5 })
    })

    it('is not created by a write with If-Match', async () => {
      for (const tag of ['"1"', '*']) {
        const answer = await ana.documents.put('c', 'new', {}, {}, { 'If-Match': tag })
        expect([answer.status, answer.body.error.details]).to.deep.equal([409, { current_version: null }])
      }
      expect((await ana.documents.get('c', 'new')).status).to.equal(404)
    })

    it('is only created, never changed, by a write with If-None-Match: *', async () => {
      expect((await ana.documents.put('c', 'd', { a: 1 }, {}, { 'If-None-Match': '*' })).status).to.equal(200)
      const taken = await ana.documents.put('c', 'd', { a: 2 }, {}, { 'If-None-Match': '*' })
      expect([taken.status, taken.body.error.details]).to.deep.equal([409, { current_version: 1 }])
      expect((await ana.documents.put('c', 'd', { a: 2 }, {}, { 'If-None-Match': '"1"' })).status).to.equal(400)
      expect((await ana.documents.get('c', 'd')).body.data).to.deep.equal({ a: 1 })
    })

    it('is a new document when it is written again after a deletion', async () => {
      const first = await ana.documents.put('c', 'd', { a: 1 }).ok()
      expect((await ana.documents.delete('c', 'd', { 'If-Match': '"2"' })).body.error.details).to.deep.equal({
        current_version: 1,
      })
      const tag = await tagOf('c', 'd')
      expect((await ana.documents.delete('c', 'd', { 'If-Match': tag })).status).to.equal(204)
      expect((await ana.documents.get('c', 'd')).status).to.equal(404)
      expect((await ana.documents.delete('c', 'd')).status).to.equal(404)
      const second = await ana.documents.put('c', 'd', { a: 1 }).ok()
      expect(second.id).not.to.equal(first.id)
      expect(second.version).to.equal(1)
      // The tag of the first document allows no change or deletion of the second.
      expect(await tagOf('c', 'd')).not.to.equal(tag)
      expect((await ana.documents.put('c', 'd', { a: 2 }, {}, { 'If-Match': tag })).status).to.equal(409)
      expect((await ana.documents.delete('c', 'd', { 'If-Match': tag })).status).to.equal(409)
    })

    it('is enqueued for the index by each change and by its deletion', async () => {
      const kept = await ana.documents.put('c', 'kept', { a: 1 }).ok()
      const gone = await ana.documents.put('c', 'gone', { a: 1 }).ok()
      await ana.documents.delete('c', 'gone')
      const rows = await asSuperuser((client) =>
        client.query(`select entity_id from index_pending where tenant_id = $1 and kind = 'document'`, [tenant.id]),
      )
      expect(rows.map(({ entity_id }) => entity_id as string).sort()).to.deep.equal([kept.id, gone.id].sort())
    })

    it('is audited with every change, without its data', async () => {
      const { id } = await ana.documents.put('c', 'd', { secret: 'rosebud' }).ok()
      await ana.documents.put('c', 'd', { secret: 'xanadu' }).ok()
      await ana.documents.delete('c', 'd')
      const operator = await tenant.caller({ trust: 3 })
      const { body } = await operator.audit.list({ subject_id: id })
      expect(
        body.items.map(({ action, actor, subject, details }: Record<string, unknown>) => ({
          action,
          actor,
          subject,
          details,
        })),
      ).to.deep.equal(
        (['deleted', 'updated', 'created'] as const).map((done, i) => ({
          action: `document.${done}`,
          actor: { kind: 'agent', agent_id: 'ana', key_id: body.items[0]!.actor.key_id },
          subject: { kind: 'document', id },
          details: { collection: 'c', doc_id: 'd', version: [2, 2, 1][i] },
        })),
      )
      expect(JSON.stringify(body)).to.not.match(/rosebud|xanadu/)
    })

    it('names in its audit event the agent that a tenant key acts for, by X-Agent-ID or in the body', async () => {
      const script = await tenant.caller()
      const one = await script.documents.put('c', 'one', {}, { agent_id: 'bo', fleet_id: 'blue' }).ok()
      const two = await script.actingAs('ana').documents.put('c', 'two', {}).ok()
      expect([one.fleet_id, two.fleet_id]).to.deep.equal(['blue', 'red'])
      const operator = await tenant.caller({ trust: 3 })
      const actors = await Promise.all(
        [one, two].map(
          async ({ id }) => (await operator.audit.list({ subject_id: id })).body.items[0]!.actor.agent_id as string,
        ),
      )
      expect(actors).to.deep.equal(['bo', 'ana'])
      const other = await ana.documents.put('c', 'one', {}, { agent_id: 'bo' })
      expect(other.status).to.equal(403)
    })

    describe('in a fleet', () => {
      it('gets the caller’s fleet, unless it has one already or the request names one', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue', trust: 2 })
        expect((await ana.documents.put('c', 'd', {}).ok()).fleet_id).to.equal('red')
        expect((await ben.documents.put('c', 'd', { a: 1 }).ok()).fleet_id).to.equal('red')
        expect((await ben.documents.put('c', 'd', { a: 1 }, { fleet_id: 'blue' }).ok()).fleet_id).to.equal('blue')
        expect((await tenant.admin.documents.put('c', 'nobodys', {}).ok()).fleet_id).to.equal(null)
        expect((await ana.documents.put('c', 'nobodys', { a: 1 }).ok()).fleet_id).to.equal(null)
      })

      it('is readable at trust 1, and writable by other fleets from trust 2 on', async () => {
        await ana.documents.put('c', 'd', { a: 1 }).ok()
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
        expect((await ben.documents.get('c', 'd')).status).to.equal(200)
        const required = { required_trust_level: 2, caller_trust_level: 1 }
        for (const refused of [
          await ben.documents.put('c', 'd', { a: 2 }),
          await ben.documents.put('c', 'd', { a: 1 }),
          await ben.documents.put('c', 'd', { a: 2 }, { fleet_id: 'blue' }),
          await ben.documents.put('c', 'mine', {}, { fleet_id: 'red' }),
          await ben.documents.delete('c', 'd'),
        ])
          expect([refused.status, refused.body.error.details]).to.deep.equal([403, required])
        const eve = await tenant.caller({ agentId: 'eve', fleetId: 'blue', trust: 2 })
        expect((await eve.documents.put('c', 'd', { a: 2 })).status).to.equal(200)
        expect((await eve.documents.delete('c', 'd')).status).to.equal(204)
      })

      it('is refused to trust 0, to read and to write', async () => {
        await ana.documents.put('c', 'd', {}).ok()
        const low = await tenant.caller({ agentId: 'low', fleetId: 'red', trust: 0 })
        for (const refused of [
          await low.documents.put('c', 'd', {}),
          await low.documents.putMany('c', [{ doc_id: 'd', data: {} }]),
          await low.documents.get('c', 'd'),
          await low.documents.delete('c', 'd'),
          await low.documents.list('c'),
          await low.documents.query('c'),
          await low.documents.collections(),
        ]) {
          expect(refused.status).to.equal(403)
          expect(refused.body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
        }
      })
    })

    describe('with a slash in its name', () => {
      it('is the same document raw and encoded, with and without a trailing slash', async () => {
        const record = await ana.documents.put('c', 'a/b+c/é', { x: 1 }).ok()
        const paths = ['a/b%2Bc/%C3%A9', 'a%2Fb%2Bc%2F%C3%A9', 'a%2fb%2bc/%C3%A9', 'a/b+c/%C3%A9/']
        for (const path of paths) {
          const { status, body } = await ana.raw('GET', `/api/v1/documents/c/${path}`)
          expect([status, (body as DocumentRecord).id], path).to.deep.equal([200, record.id])
        }
        const { status } = await ana.raw('DELETE', '/api/v1/documents/c/a/b+c/%C3%A9')
        expect(status).to.equal(204)
        expect((await ana.documents.get('c', 'a/b+c/é')).status).to.equal(404)
      })

      it('shadows no other route', async () => {
        const record = await ana.documents.put('collections', 'query', { x: 1 }).ok()
        expect((await ana.documents.get('collections', 'query')).body).to.deep.equal(record)
        expect((await ana.raw('GET', '/api/v1/documents/query')).status).to.equal(405)
        expect((await ana.raw('GET', '/api/v1/documents/collections/')).status).to.equal(422)
        expect((await ana.documents.collections()).status).to.equal(200)
        expect((await ana.raw('GET', '/api/v1/documents/c')).status).to.equal(404)
        expect((await ana.raw('PATCH', '/api/v1/documents/c/a/b')).status).to.equal(405)
      })

      for (const docId of ['/a', 'a/', '.', '..', 'a/../b', ''])
        it(`cannot have the name ${docId || '(empty)'}`, async () =>
          expect(faultsOf(await ana.documents.put('c', docId, {}))).to.deep.equal(['body.doc_id']))
    })

    describe('that breaks a rule', () => {
      const bytes = (count: number) => ({ text: 'x'.repeat(count - '{"text":""}'.length) })
      const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))

      it('is stored up to 256 KiB, 256 fields and 200 characters, and 422 beyond', async () => {
        expect((await ana.documents.put('c', 'd'.repeat(200), bytes(262_144))).status).to.equal(200)
        expect((await ana.documents.put('c', '𠮷'.repeat(200), { ['k'.repeat(200)]: 1 })).status).to.equal(200)
        expect((await ana.documents.put('c', 'd', { ['😀'.repeat(200)]: 1 })).status).to.equal(200)
        expect((await ana.documents.put('c', 'd', keys(256))).status).to.equal(200)
        expect(faultsOf(await ana.documents.put('c', 'd', bytes(262_145)))).to.deep.equal(['body.data'])
        expect(faultsOf(await ana.documents.put('c', 'd', keys(257)))).to.deep.equal(['body.data'])
        expect(faultsOf(await ana.documents.put('c', 'd', { ['k'.repeat(201)]: 1 }))).to.deep.equal(['body.data'])
        expect(faultsOf(await ana.documents.put('c', 'd'.repeat(201), {}))).to.deep.equal(['body.doc_id'])
      })

      it('is 422 when exponents make more digits than bytes', async () => {
        expect((await ana.documents.put('c', 'd', { list: Array.from({ length: 800 }, () => 1e308) })).status).to.equal(
          200,
        )
        expect((await ana.documents.get('c', 'd')).body.data.list).to.have.property('799', 1e308)
        const many = { list: Array.from({ length: 37_000 }, () => 1e308) }
        expect(faultsOf(await ana.documents.put('c', 'd', many))).to.deep.equal(['body.data'])
        const { body } = await ana.documents.putMany('c', [{ doc_id: 'e', data: many }])
        expect(body.errors).to.equal(1)
      })

      it('is 422 for an integer that would lose digits, alone and in bulk, which stores the others', async () => {
        const headers = { 'Content-Type': 'application/json' }
        const send = (path: string, fields: string) =>
          ana.raw('POST', path, { body: `{"tenant_id":"${ana.tenantId}","collection":"c",${fields}}`, headers })
        const single = await send('/api/v1/documents', '"doc_id":"n","data":{"id":9007199254740993}')
        expect(faultsOf(single)).to.deep.equal(['body.data.id'])
        const items = '{"doc_id":"n","data":{"id":9007199254740993}},{"doc_id":"o","data":{"id":9007199254740992}}'
        const { status, body } = await send('/api/v1/documents/bulk', `"items":[${items}]`)
        expect([status, body.created, body.errors]).to.deep.equal([207, 1, 1])
        expect(body.results[0].error.details.errors[0].loc).to.deep.equal(['body', 'items', '0', 'data', 'id'])
        expect((await ana.documents.get('c', 'o')).body.data).to.deep.equal({ id: 9007199254740992 })
        expect((await ana.documents.get('c', 'n')).status).to.equal(404)
      })

      it('is 422 above 1 MiB, and 413 above what a skill with its files may have', async () => {
        expect((await ana.documents.put('c', 'd', bytes(1_048_577))).status).to.equal(422)
        expect((await ana.documents.put('c', 'd', bytes(16_777_217))).status).to.equal(413)
      })

      it('has no files, which only a skill has', async () => {
        const files = [{ path: 'a', content: 'a' }]
        expect(faultsOf(await ana.documents.put('c', 'd', {}, { files }))).to.deep.equal(['body.files'])
      })

      const refused: [name: string, fields: Record<string, unknown>, at: string][] = [
        ['a capital in its collection', { collection: 'Notes' }, 'body.collection'],
        ['a slash in its collection', { collection: 'a/b' }, 'body.collection'],
        ['a long collection', { collection: 'c'.repeat(101) }, 'body.collection'],
        ['a collection of the service’s', { collection: '_x' }, 'body.collection'],
        ['data that is a list', { data: [] }, 'body.data'],
        ['data that is null', { data: null }, 'body.data'],
        ['U+0000 in its data', { data: { a: ['\0'] } }, 'body.data.a.0'],
        ['half a character in a key', { data: { '\ud800': 1 } }, 'body.data.\ufffd'],
        ['half a character in its name', { doc_id: 'a\udc00' }, 'body.doc_id'],
        ['an unknown field', { ttl: 1 }, 'body.ttl'],
        ['a fleet of no form', { fleet_id: ' ' }, 'body.fleet_id'],
      ]
      for (const [name, fields, at] of refused)
        it(`with ${name} is 422`, async () => {
          const answer = await ana.documents.put('c', 'd', {}, fields)
          expect(faultsOf(answer)).to.deep.equal([at])
        })

      for (const field of ['tenant_id', 'collection', 'doc_id', 'data'])
        it(`without ${field} is 422`, async () => {
          const body = { tenant_id: tenant.id, collection: 'c', doc_id: 'd', data: {}, [field]: undefined }
          expect(faultsOf(await ana.call('putDocument', { body }))).to.deep.equal([`body.${field}`])
        })

      it('is 422 when nested too deeply', async () => {
        let data: Record<string, unknown> = {}
        for (let i = 0; i < 200; i++) data = { a: data }
        expect((await ana.documents.put('c', 'd', data)).status).to.equal(422)
      })

      it('in a reserved collection is not visible on any route', async () => {
        await asSuperuser((client) =>
          client.query(
            `with made as (
               insert into documents (tenant_id, id, collection, doc_id, data, text_hash, created_at, updated_at)
               select $1, gen_random_uuid(), c, 'd', '{}', '', now(), now() from unnest(array['_x', '_y']) as c
               returning tenant_id, collection)
             insert into document_counter_deltas (tenant_id, collection, changed_at, delta)
             select tenant_id, collection, now(), 1 from made`,
            [tenant.id],
          ),
        )
        for (const collection of ['_x', '_y']) {
          expect(faultsOf(await ana.documents.get(collection, 'd'))).to.deep.equal(['path.collection'])
          expect(faultsOf(await ana.documents.delete(collection, 'd'))).to.deep.equal(['path.collection'])
          expect(faultsOf(await ana.documents.list(collection))).to.deep.equal(['query.collection'])
          expect(faultsOf(await ana.documents.query(collection))).to.deep.equal(['body.collection'])
          expect(faultsOf(await ana.documents.putMany(collection, [{ doc_id: 'd', data: {} }]))).to.deep.equal([
            'body.collection',
          ])
        }
        expect((await ana.documents.collections()).body).to.deep.equal({ collections: [], count: 0 })
        // Rows written without the service are in no index, which would then count as having lost documents.
        await asSuperuser((client) =>
          client.query(
            `with gone as (delete from documents where tenant_id = $1 returning tenant_id, collection)
             insert into document_counter_deltas (tenant_id, collection, changed_at, delta)
             select tenant_id, collection, now(), -1 from gone`,
            [tenant.id],
          ),
        )
      })
    })

    describe('with personal data', () => {
      const EMAIL = 'ana.lopez@example.com'
      const choose = (pii_policy: string) => tenant.admin.settings.patch({ memory: { pii_policy } }).ok()
      const finding = { kinds: ['email'], count: 2 }
      const pii = { ...finding, fields: { data: finding } }

      it('is flagged, until it has none any more', async () => {
        const data = { to: EMAIL, cc: [{ address: EMAIL }], subject: 'x' }
        expect(await ana.documents.put('c', 'd', data).ok()).to.deep.include({ data, system_metadata: { pii } })
        expect((await ana.documents.get('c', 'd')).body.system_metadata).to.deep.equal({ pii })
        expect((await ana.documents.put('c', 'd', { subject: 'x' }).ok()).system_metadata).to.deep.equal({})
      })

      it('is masked before it can be read or queried', async () => {
        await choose('mask')
        const masked = await ana.documents.put('c', 'd', { to: EMAIL, cc: [{ address: EMAIL }], subject: 'x' }).ok()
        expect(masked.data).to.deep.equal({ to: '[email]', cc: [{ address: '[email]' }], subject: 'x' })
        expect(masked.system_metadata).to.deep.equal({ pii })
        expect(await ana.documents.queryIds('c', { where: { to: EMAIL } })).to.deep.equal([])
        expect(await ana.documents.queryIds('c', { where: { to: '[email]' } })).to.deep.equal(['d'])
        expect(
          (await ana.documents.put('c', 'd', { to: EMAIL, cc: [{ address: EMAIL }], subject: 'x' }).ok()).version,
        ).to.equal(1)
      })

      it('gets a new version when the flag goes, although its data stays', async () => {
        await choose('mask')
        await ana.documents.put('c', 'd', { to: EMAIL }).ok()
        const said = await ana.documents.put('c', 'd', { to: '[email]' }).ok()
        expect(said).to.deep.include({ data: { to: '[email]' }, system_metadata: {}, version: 2 })
      })

      it('is refused', async () => {
        await choose('refuse')
        expect(faultsOf(await ana.documents.put('c', 'd', { to: EMAIL }))).to.deep.equal(['body.data'])
        const { status, body } = await ana.documents.putMany('c', [
          { doc_id: 'd', data: { to: EMAIL } },
          { doc_id: 'e', data: {} },
        ])
        expect([status, body.created, body.results[0]!.error!.code]).to.deep.equal([207, 1, 'INVALID_ARGUMENTS'])
      })
    })

    describe('written concurrently', () => {
      it('gets a version by every write, and ends as one of them wrote it', async () => {
        const writes = 24
        const answers = await Promise.all(
          Array.from({ length: writes }, (_, writer) =>
            ana.documents.put('c', 'hot', { writer, [`only${writer}`]: true }),
          ),
        )
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
        expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1)
        expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).to.deep.equal(
          Array.from({ length: writes }, (_, i) => i + 1),
        )
        const last = answers.find(({ body }) => body.version === writes)!.body as DocumentRecord
        expect((await ana.documents.get('c', 'hot')).body).to.deep.equal(last)
        // Its fields are those of the last version only.
        const { writer } = last.data as { writer: number }
        expect(await ana.documents.queryIds('c', { where: { writer } })).to.deep.equal(['hot'])
        for (let other = 0; other < writes; other++)
          expect(await ana.documents.queryIds('c', { where: { [`only${other}`]: true } })).to.have.length(
            other === writer ? 1 : 0,
          )
      })

      it('accepts one of the writes that name the same version', async () => {
        await ana.documents.put('c', 'd', { n: 0 }).ok()
        const increment = async (): Promise<void> => {
          for (;;) {
            const { body, headers } = await ana.documents.get('c', 'd')
            const tag = { 'If-Match': headers.get('ETag')! }
            if ((await ana.documents.put('c', 'd', { n: (body.data.n as number) + 1 }, {}, tag)).status === 200) return
          }
        }
        await Promise.all(Array.from({ length: 8 }, increment))
        expect((await ana.documents.get('c', 'd')).body).to.deep.include({ data: { n: 8 }, version: 9 })
      })

      it('is created once by concurrent writes with If-None-Match: *', async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) => ana.documents.put('c', 'd', { i }, {}, { 'If-None-Match': '*' })),
        )
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(7).fill(409)])
      })
    })

    async function asSuperuser(
      work: (client: pg.Client) => Promise<pg.QueryResult>,
    ): Promise<Record<string, unknown>[]> {
      return (await withConnection(service().databaseUrl, work)).rows as Record<string, unknown>[]
    }
  })

  describe('documents in bulk', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })
    const statuses = ({ body }: { body: { results: { status: string }[] } }) => body.results.map(({ status }) => status)

    it('are created, updated or unchanged one by one, and a repeated request changes nothing', async () => {
      await ana.documents.put('c', 'old', { n: 1 }).ok()
      await ana.documents.put('c', 'same', { n: 1 }).ok()
      const items = ['new', 'old', 'same'].map((doc_id) => ({ doc_id, data: { n: doc_id === 'same' ? 1 : 2 } }))
      const first = await ana.documents.putMany('c', items)
      expect(first.status).to.equal(200)
      expect(first.body).to.deep.include({ created: 1, updated: 1, unchanged: 1, errors: 0 })
      expect(first.body.results.map(({ id: _, ...result }: Record<string, unknown>) => result)).to.deep.equal([
        { index: 0, status: 'created', doc_id: 'new', version: 1 },
        { index: 1, status: 'updated', doc_id: 'old', version: 2 },
        { index: 2, status: 'unchanged', doc_id: 'same', version: 1 },
      ])
      expect(statuses(await ana.documents.putMany('c', items))).to.deep.equal(['unchanged', 'unchanged', 'unchanged'])
    })

    it('with the same name become versions of one document', async () => {
      const items = [1, 2, 2, 3].map((n) => ({ doc_id: 'd', data: { n } }))
      const answer = await ana.documents.putMany('c', [...items, { doc_id: 'e', data: {} }])
      expect(statuses(answer)).to.deep.equal(['created', 'updated', 'unchanged', 'updated', 'created'])
      expect((await ana.documents.get('c', 'd')).body).to.deep.include({ data: { n: 3 }, version: 3 })
    })

    it('that are refused do not affect the others', async () => {
      const operator = await tenant.caller({ trust: 3 })
      await operator.documents.put('c', 'blue', {}, { fleet_id: 'blue' }).ok()
      const answer = await ana.documents.putMany('c', [
        { doc_id: 'good', data: {} },
        { doc_id: '/bad', data: {} },
        { doc_id: 'bad', data: [] },
        { doc_id: 'bad', data: {}, ttl: 1 },
        { doc_id: 'bad', data: { text: '\0' } },
        { doc_id: 'bad', data: {}, fleet_id: 'blue' },
        { doc_id: 'blue', data: { n: 1 } },
        { data: {} },
      ])
      expect(answer.status).to.equal(207)
      expect(answer.body).to.deep.include({ created: 1, updated: 0, unchanged: 0, errors: 7 })
      const codes = answer.body.results.map(({ error }) => error?.code)
      const invalid = 'INVALID_ARGUMENTS'
      expect(codes).to.deep.equal([undefined, invalid, invalid, invalid, invalid, 'FORBIDDEN', 'FORBIDDEN', invalid])
      expect(itemFaultsOf(answer.body.results[1]!)).to.deep.equal(['body.items.1.doc_id'])
      expect(answer.body.results[5]!.error!.details).to.deep.equal({ required_trust_level: 2, caller_trust_level: 1 })
      expect((await ana.documents.collections()).body.collections[0]!.count).to.equal(2)
    })

    it('get their own fleet, the request’s or the caller’s', async () => {
      const eve = await tenant.caller({ agentId: 'eve', fleetId: 'green', trust: 2 })
      await eve.documents.putMany('c', [{ doc_id: 'a', data: {} }])
      await eve.documents.putMany(
        'c',
        [
          { doc_id: 'b', data: {} },
          { doc_id: 'd', data: {}, fleet_id: 'red' },
        ],
        { fleet_id: 'blue' },
      )
      const fleets = (await eve.documents.list('c')).body.items.map(({ fleet_id }: DocumentRecord) => fleet_id)
      expect(fleets).to.deep.equal(['green', 'blue', 'red'])
    })

    it('are at most 500, and at least one', async () => {
      const items = Array.from({ length: 500 }, (_, i) => ({ doc_id: `d${i}`, data: { i } }))
      expect((await ana.documents.putMany('c', items)).body.created).to.equal(500)
      expect(faultsOf(await ana.documents.putMany('c', [...items, { doc_id: 'x', data: {} }]))).to.deep.equal([
        'body.items',
      ])
      expect(faultsOf(await ana.documents.putMany('c', []))).to.deep.equal(['body.items'])
      // Items of one request are ordered by creation.
      expect(await ana.documents.queryIds('c', { order: 'asc', limit: 200 })).to.deep.equal(
        items.map(({ doc_id }) => doc_id),
      )
    })

    it('are written concurrently without deadlocks', async () => {
      const items = Array.from({ length: 40 }, (_, i) => ({ doc_id: `d${i}`, data: { i } }))
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          ana.documents.putMany(
            'c',
            (i % 2 ? [...items].reverse() : items).map((item) => ({ ...item, data: { by: i } })),
          ),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
      const created = answers.reduce((sum, { body }) => sum + body.created, 0)
      expect(created).to.equal(40)
      expect((await ana.documents.collections()).body.collections[0]!.count).to.equal(40)
    })
  })
})
