import { expect } from 'chai'
import { readPublicCounts } from '../../store/service-counters.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import type { DocumentRecord } from '../support/clients/documents.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { randomDocuments } from '../support/random-documents.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Lists, queries and counts of documents. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('a query of documents', () => {
    let tenant: TestTenant
    let ana: Caller
    /** Documents by name. Field `z` differs in each document, and field `k` has any type. */
    const DATA: Record<string, Record<string, unknown>> = {
      a: { kind: 'x', k: 2, z: 1 },
      b: { kind: 'x', k: 10, z: 2, open: true },
      c: { kind: 'y', k: 'text', z: 3, open: false },
      d: { kind: 'y', k: null, z: 4, open: 'true' },
      e: { kind: 'x', k: true, z: 5, nested: { kind: 'x' } },
      f: { kind: 'x', z: 6, k: [1], text: 'x'.repeat(300) },
      g: { kind: 'x', z: 7, text: `${'x'.repeat(299)}y` },
      h: { kind: 1, k: 'Text', z: 8 },
    }
    before(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      for (const [docId, data] of Object.entries(DATA))
        await ana.documents.put('notes', docId, data, { fleet_id: docId < 'd' ? 'red' : 'blue' }).ok()
      await tenant.admin.documents.put('notes', 'n', { kind: 'x', z: 9, k: -1 }).ok()
      await ana.documents.put('other', 'a', { kind: 'x' }).ok()
      await ana.documents.put('notes', 'b', { ...DATA.b, changed: true }).ok()
    })

    const cases: [query: Record<string, unknown>, found: string][] = [
      [{}, 'nhgfedcba'],
      [{ order: 'asc' }, 'abcdefghn'],
      [{ where: {} }, 'nhgfedcba'],
      [{ where: { kind: 'x' } }, 'ngfeba'],
      [{ where: { kind: 'x', open: true } }, 'b'],
      [{ where: { open: 'true' } }, 'd'],
      [{ where: { open: false, kind: 'y', z: 3 } }, 'c'],
      [{ where: { kind: 'x', z: 3 } }, ''],
      [{ where: { z: 3, kind: 'y', open: true } }, ''],
      [{ where: { z: 3, kind: 'x', open: false }, order_by: 'doc_id' }, ''],
      [{ where: { kind: 'nothing' } }, ''],
      [{ where: { missing: null } }, ''],
      [{ where: { k: null } }, 'd'],
      [{ where: { k: 2 } }, 'a'],
      [{ where: { k: '2' } }, ''],
      [{ where: { k: 1 } }, 'f'],
      [{ where: { k: '1' } }, ''],
      [{ where: { k: [1, 2, 'text', 7] } }, 'fca'],
      [{ where: { k: [null, 1], kind: ['x', 'y'] } }, 'fd'],
      [{ where: { k: [10, 1, 2] }, order_by: 'doc_id', order: 'asc' }, 'abf'],
      [{ where: { k: [10, 1, 2, -1] }, order_by: 'k' }, 'banf'],
      [{ where: { kind: 1 } }, 'h'],
      [{ where: { nested: 'x' } }, ''],
      [{ where: { text: 'x'.repeat(300) } }, 'f'],
      [{ where: { text: `${'x'.repeat(299)}y` } }, 'g'],
      [{ where: { text: 'x'.repeat(128) } }, ''],
      [{ fleet_id: 'red' }, 'ncba'],
      [{ fleet_id: 'red', where: { kind: 'x' } }, 'nba'],
      [{ fleet_id: 'red', where: { kind: 'x' }, order_by: 'k' }, 'ban'],
      [{ fleet_id: 'green' }, 'n'],
      [{ order_by: 'doc_id', order: 'asc' }, 'abcdefghn'],
      [{ order_by: 'doc_id' }, 'nhgfedcba'],
      [{ order_by: 'doc_id', where: { kind: 'x' } }, 'ngfeba'],
      [{ order_by: 'updated_at' }, 'bnhgfedca'],
      [{ order_by: 'updated_at', order: 'asc', where: { kind: 'x' } }, 'aefgnb'],
      // Order: null, true, numbers, texts by code points; then f, which has a list, and g, which has no value, in order of creation.
      [{ order_by: 'k', order: 'asc' }, 'denabhcfg'],
      [{ order_by: 'k' }, 'chbanedgf'],
      [{ order_by: 'k', order: 'asc', where: { kind: 'x' } }, 'enabfg'],
      [{ order_by: 'k', where: { kind: 'x' } }, 'banegf'],
      [{ order_by: 'k', order: 'asc', fleet_id: 'blue' }, 'denhfg'],
      [{ order_by: 'missing', order: 'asc' }, 'abcdefghn'],
      [{ order_by: 'missing', fleet_id: 'red' }, 'ncba'],
      [{ order_by: 'z', where: { kind: 'y' } }, 'dc'],
    ]
    for (const [query, found] of cases)
      it(`of ${JSON.stringify(query).slice(0, 80)} finds ${found || 'nothing'}, on one page and on many`, async () => {
        for (const limit of [50, 1, 2, 3])
          expect((await ana.documents.queryIds('notes', { ...query, limit })).join(''), `limit ${limit}`).to.equal(
            found,
          )
      })

    it('returns each document as a get by its name does', async () => {
      const { body } = await ana.documents.query('notes')
      for (const row of body.items) expect(row).to.deep.equal((await ana.documents.get('notes', row.doc_id)).body)
    })

    it('of an unknown collection finds nothing', async () =>
      expect((await ana.documents.query('empty')).body).to.deep.equal({ items: [], next_cursor: null }))

    it('reflects documents that were just written, changed and deleted', async () => {
      await ana.documents.put('fresh', 'a', { n: 1 }).ok()
      expect(await ana.documents.queryIds('fresh', { where: { n: 1 } })).to.deep.equal(['a'])
      await ana.documents.put('fresh', 'a', { n: 2 }).ok()
      expect(await ana.documents.queryIds('fresh', { where: { n: 1 } })).to.deep.equal([])
      expect(await ana.documents.queryIds('fresh', { where: { n: 2 } })).to.deep.equal(['a'])
      await ana.documents.delete('fresh', 'a')
      expect(await ana.documents.queryIds('fresh', { where: { n: 2 } })).to.deep.equal([])
    })

    it('misses none of the documents with the same updated_at, page by page', async () => {
      const items = Array.from({ length: 7 }, (_, i) => ({ doc_id: `d${i}`, data: { i, kind: 'same' } }))
      await ana.documents.putMany('at-once', items)
      const names = items.map(({ doc_id }) => doc_id)
      for (const limit of [1, 2, 3])
        for (const where of [{}, { kind: 'same' }]) {
          const asked = { order_by: 'updated_at', limit, where }
          expect(await ana.documents.queryIds('at-once', { ...asked, order: 'asc' })).to.deep.equal(names)
          expect(await ana.documents.queryIds('at-once', asked)).to.deep.equal([...names].reverse())
        }
    })

    it('accepts any fleet_id at trust 1, because it only narrows the result', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'green' })
      expect((await ben.documents.queryIds('notes', { fleet_id: 'red' })).join('')).to.equal('ncba')
      const listed = await ben.documents.list('notes', { fleet_id: 'red' })
      expect(listed.body.items.map(({ doc_id }: DocumentRecord) => doc_id).join('')).to.equal('abcn')
    })

    it('refuses a cursor of another query, of another tenant, and an altered one', async () => {
      const { next_cursor: cursor } = (await ana.documents.query('notes', { limit: 2, where: { kind: 'x' } })).body
      const same = { where: { kind: 'x' }, cursor }
      expect((await ana.documents.query('notes', same)).status).to.equal(200)
      expect((await ana.documents.query('notes', { ...same, limit: 1 })).status).to.equal(200)
      for (const other of [
        { ...same, where: { kind: 'y' } },
        { ...same, where: { kind: 'x', z: 1 } },
        { cursor },
        { ...same, order: 'asc' },
        { ...same, order_by: 'k' },
        { ...same, fleet_id: 'red' },
        { ...same, cursor: `${cursor!.slice(0, -2)}AA` },
      ])
        expect((await ana.documents.query('notes', other)).status, JSON.stringify(other)).to.equal(400)
      expect((await ana.documents.query('other', same)).status).to.equal(400)
      const foreign = await newTenant(service()).caller()
      expect((await foreign.documents.query('notes', same)).status).to.equal(400)
      expect((await ana.documents.list('notes', { cursor })).status).to.equal(400)
    })

    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, i]))
    const refused: [query: Record<string, unknown>, at: string][] = [
      [{ where: many }, 'body.where'],
      [{ where: { a: { b: 1 } } }, 'body.where.a'],
      [{ where: { a: [] } }, 'body.where.a'],
      [{ where: { a: [1, [2]] } }, 'body.where.a.1'],
      [{ where: { a: [{ b: 1 }] } }, 'body.where.a.0'],
      [{ where: { a: [...Array(101).keys()] } }, 'body.where.a'],
      [{ where: { ['k'.repeat(201)]: 1 } }, `body.where.${'k'.repeat(201)}`],
      [{ where: { a: 'x'.repeat(256 * 1024 - 7) } }, 'body.where.a'],
      [{ where: [] }, 'body.where'],
      [{ where: { a: '\0' } }, 'body.where.a'],
      [{ order_by: '' }, 'body.order_by'],
      [{ order_by: 'x'.repeat(201) }, 'body.order_by'],
      [{ order: 'up' }, 'body.order'],
      [{ limit: 0 }, 'body.limit'],
      [{ limit: 201 }, 'body.limit'],
      [{ collection: 'A' }, 'body.collection'],
      [{ filter: {} }, 'body.filter'],
    ]
    for (const [query, at] of refused)
      it(`of ${JSON.stringify(query).slice(0, 60)} is 422`, async () =>
        expect(faultsOf(await ana.documents.query('notes', query))).to.deep.equal([at]))

    it('that cannot match says why', async () => {
      for (const [where, message] of [
        [{ ['é'.repeat(201)]: 1 }, 'Cannot match: top-level keys of `data` have at most 200 characters.'],
        [{ a: 'x'.repeat(256 * 1024 - 7) }, 'Cannot match: `data` has at most 256 KiB as JSON.'],
      ] as const) {
        const { status, body } = await ana.documents.query('notes', { where })
        expect([status, body.error.message]).to.deep.equal([422, `body.where.${Object.keys(where)[0]}: ${message}`])
      }
      expect((await ana.documents.query('notes', { where: { a: 'x'.repeat(256 * 1024 - 8) } })).status).to.equal(200)
      expect((await ana.documents.query('notes', { where: { ['😀'.repeat(200)]: 1 } })).status).to.equal(200)
    })

    it('accepts twenty conditions', async () => {
      const { k20: _, ...twenty } = many
      await ana.documents.put('wide', 'all', twenty).ok()
      await ana.documents.put('wide', 'most', { ...twenty, k7: 'other' }).ok()
      expect(await ana.documents.queryIds('wide', { where: twenty })).to.deep.equal(['all'])
    })

    const padding = Array.from({ length: 300 }, (_, i) => 1_000 + i)
    const kinds: [kind: string, documents: Parameters<typeof randomDocuments>[0]][] = [
      ['short lists', { count: 60 }],
      ['lists of more members than are stored', { count: 40, padding }],
      ['more equal values than are sorted', { count: 1_600, values: [1, 'a'] }],
    ]
    for (const [kind, documents] of kinds)
      it(`finds what a scan finds, for random documents with ${kind}, and random queries`, async () => {
        const { rows, queries } = randomDocuments(documents)
        const collection = `random-${rows.length}`
        for (let next = 0; next < rows.length; next += 400)
          await ana.documents.putMany(collection, rows.slice(next, next + 400)).ok()
        for (const { query, found } of rows.length > 1_000 ? queries.slice(0, 12) : queries) {
          const limit = rows.length > 1_000 ? 200 : query.limit
          const names = await ana.documents.queryIds(collection, { ...query, limit })
          expect(names, JSON.stringify(query)).to.deep.equal(found)
        }
      })
  })

  describe('a list of documents', () => {
    let ana: Caller
    before(async () => {
      ana = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red' })
      await ana.documents.putMany(
        'c',
        ['b', 'a/z', 'B', 'a', 'é', '10', '9'].map((doc_id) => ({ doc_id, data: {} })),
      )
    })
    const names = ({ body }: { body: { items: DocumentRecord[] } }) => body.items.map(({ doc_id }) => doc_id)

    it('is ordered by name in code points, page by page', async () => {
      const all = ['10', '9', 'B', 'a', 'a/z', 'b', 'é']
      expect(names(await ana.documents.list('c'))).to.deep.equal(all)
      const first = await ana.documents.list('c', { limit: 3 })
      const second = await ana.documents.list('c', { limit: 3, cursor: first.body.next_cursor })
      const third = await ana.documents.list('c', { limit: 3, cursor: second.body.next_cursor })
      expect([...names(first), ...names(second), ...names(third)]).to.deep.equal(all)
      expect(third.body.next_cursor).to.equal(null)
    })

    it('starts after a name, which need not exist', async () => {
      expect(names(await ana.documents.list('c', { after: 'a' }))).to.deep.equal(['a/z', 'b', 'é'])
      expect(names(await ana.documents.list('c', { after: 'a/' }))).to.deep.equal(['a/z', 'b', 'é'])
      expect(names(await ana.documents.list('c', { after: 'é' }))).to.deep.equal([])
      const first = await ana.documents.list('c', { after: 'a', limit: 1 })
      const next = { after: 'a', limit: 1, cursor: first.body.next_cursor as string }
      expect(names(await ana.documents.list('c', next))).to.deep.equal(['b'])
    })

    it('ends a page before its limit when documents are large, and misses none', async () => {
      const items = Array.from({ length: 24 }, (_, i) => ({
        doc_id: `d${String(i).padStart(2, '0')}`,
        data: { text: `${i}`.padStart(250_000, 'x') },
      }))
      await ana.documents.putMany('large', items)
      const found: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await ana.documents.list('large', { limit: 200, cursor })
        expect(page.body.items.length).to.be.within(1, 20)
        found.push(...names(page))
        cursor = page.body.next_cursor
      }
      expect(found).to.deep.equal(items.map(({ doc_id }) => doc_id))
      expect(await ana.documents.queryIds('large', { order: 'asc', limit: 200 })).to.deep.equal(found)
    })

    it('requires a collection, and refuses unknown filters', async () => {
      expect(faultsOf(await ana.call('listDocuments'))).to.deep.equal(['query.collection'])
      expect(faultsOf(await ana.documents.list('c', { agent_id: 'ana' }))).to.deep.equal(['query.agent_id'])
      expect(faultsOf(await ana.documents.list('c', { limit: 201 }))).to.deep.equal(['query.limit'])
      expect((await ana.documents.list('c', { cursor: 'AAAA' })).status).to.equal(400)
    })
  })

  describe('collections', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const counts = async (query = {}) =>
      Object.fromEntries(
        (await ana.documents.collections(query)).body.collections.map(
          ({ name, count }: { name: string; count: number }) => [name, count],
        ),
      ) as Record<string, number>

    it('are listed by name with the number of their documents and the time of the last change', async () => {
      expect((await ana.documents.collections()).body).to.deep.equal({ collections: [], count: 0 })
      await ana.documents.put('b', 'x', {}).ok()
      const last = await ana.documents.put('a', 'x', {}).ok()
      await ana.documents.put('b', 'y', {}).ok()
      const changed = await ana.documents.put('b', 'x', { n: 1 }).ok()
      const { body } = await ana.documents.collections()
      expect(body).to.deep.equal({
        collections: [
          { name: 'a', count: 1, updated_at: last.updated_at },
          { name: 'b', count: 2, updated_at: changed.updated_at },
        ],
        count: 2,
      })
      await ana.documents.delete('a', 'x')
      await ana.documents.delete('b', 'y')
      const left = (await ana.documents.collections()).body
      expect(left.collections.map(({ name, count }: { name: string; count: number }) => [name, count])).to.deep.equal([
        ['b', 1],
      ])
      expect(left.collections[0]!.updated_at >= changed.updated_at).to.equal(true)
    })

    it('count the documents of a fleet and those without one', async () => {
      await ana.documents.put('c', 'red', {}).ok()
      await ana.documents.put('c', 'blue', {}, { fleet_id: 'blue' }).ok()
      await ana.documents.put('d', 'blue', {}, { fleet_id: 'blue' }).ok()
      await tenant.admin.documents.put('c', 'none', {}).ok()
      expect(await counts()).to.deep.equal({ c: 3, d: 1 })
      expect(await counts({ fleet_id: 'red' })).to.deep.equal({ c: 2 })
      expect(await counts({ fleet_id: 'blue' })).to.deep.equal({ c: 2, d: 1 })
      await ana.documents.put('c', 'blue', {}, { fleet_id: 'red' }).ok()
      expect(await counts({ fleet_id: 'red' })).to.deep.equal({ c: 3 })
      expect(await counts({ fleet_id: 'blue' })).to.deep.equal({ c: 1, d: 1 })
    })

    it('are separate for each tenant', async () => {
      await ana.documents.put('c', 'd', { n: 1 }).ok()
      const otherTenantCaller = await newTenant(service()).caller({ trust: 3 })
      expect((await otherTenantCaller.documents.collections()).body.count).to.equal(0)
      expect((await otherTenantCaller.documents.get('c', 'd')).status).to.equal(404)
      expect(await otherTenantCaller.documents.queryIds('c', { where: { n: 1 } })).to.deep.equal([])
      await otherTenantCaller.documents.put('c', 'd', { n: 2 }).ok()
      expect((await ana.documents.get('c', 'd')).body.data).to.deep.equal({ n: 1 })
    })

    it('are counted in the public counters', async () => {
      // The route caches its answer for a second.
      const total = async () => (await service().context.store.asSystem(readPublicCounts)).documents
      const before = await total()
      await ana.documents.putMany(
        'c',
        ['a', 'b', 'd'].map((doc_id) => ({ doc_id, data: {} })),
      )
      await ana.documents.delete('c', 'd')
      expect((await total()) - before).to.equal(2)
      await until('the public count follows', async () =>
        expect((await service().client().probes.stats()).body.document_count).to.equal(before + 2),
      )
    })

    it('count what a table scan counts after concurrent writes and deletions', async () => {
      const callers = [ana, await tenant.caller({ trust: 3 }), tenant.admin]
      const work = async (seed: number) => {
        for (let step = 0; step < 25; step++) {
          seed = (seed * 48_271) % 2_147_483_647
          const [caller, collection, docId] = [callers[seed % 3]!, `c${(seed >> 3) % 3}`, `d${(seed >> 5) % 6}`]
          const fleet_id = ['red', 'blue', null][(seed >> 8) % 3]
          const kind = (seed >> 11) % 4
          const { status } =
            kind === 0
              ? await caller.documents.delete(collection, docId)
              : kind === 1
                ? await caller.documents.putMany(
                    collection,
                    [0, 1, 2].map((i) => ({ doc_id: `d${(seed + i) % 6}`, data: { seed }, fleet_id })),
                  )
                : await caller.documents.put(collection, docId, { seed }, { fleet_id })
          expect(status).to.be.oneOf(kind === 0 ? [204, 404] : [200])
        }
      }
      await Promise.all([11, 222, 3_333, 44_444, 555_555, 6_666_666].map(work))
      for (const query of [{}, { fleet_id: 'red' }, { fleet_id: 'blue' }]) {
        const scanned: Record<string, number> = {}
        for (const collection of ['c0', 'c1', 'c2']) {
          const { length } = await ana.documents.queryIds(collection, query)
          if (length > 0) scanned[collection] = length
        }
        expect(await counts(query)).to.deep.equal(scanned)
      }
    })
  })
})
