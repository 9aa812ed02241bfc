import { expect } from 'chai'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import type { MemoryRecord } from '../support/clients/memories.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** Tests GET /memories. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('a list of memories', () => {
    describe('with filters', () => {
      let tenant: TestTenant
      let ana: Caller
      let rows: MemoryRecord[]
      before(async () => {
        tenant = newTenant(service())
        ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
        rows = [
          await ana.memories.create({ content: 'A', memory_type: 'decision', run_id: 'one', weight: 0.2 }).ok(),
          await ana.memories
            .create({ content: 'B', memory_type: 'semantic', visibility: 'scope_org', weight: 0.9 })
            .ok(),
          await ana.memories.create({ content: 'C', status: 'pending', fleet_id: 'blue', weight: 0.5 }).ok(),
          await ana.memories.create({ content: 'D', visibility: 'scope_agent', run_id: 'two', weight: 0.5 }).ok(),
          await ben.memories.create({ content: 'E', status: 'confirmed', run_id: 'one', weight: 0.1 }).ok(),
        ]
      })

      const contents = async (query: Record<string, string | number | boolean>) =>
        (await ana.memories.listAll(query)).map(({ content }) => content).join('')

      const cases: [query: Record<string, string>, found: string][] = [
        [{}, 'EDCBA'],
        [{ order: 'asc' }, 'ABCDE'],
        [{ sort: 'weight' }, 'BDCAE'],
        [{ sort: 'weight', order: 'asc' }, 'EACDB'],
        [{ sort: 'recall_count' }, 'EDCBA'],
        [{ sort: 'recall_count', order: 'asc' }, 'ABCDE'],
        [{ agent_id: 'ana' }, 'DCBA'],
        [{ agent_id: 'nobody' }, ''],
        [{ fleet_id: 'red' }, 'EDBA'],
        [{ fleet_id: 'blue' }, 'C'],
        [{ memory_type: 'decision' }, 'A'],
        [{ memory_type: 'fact' }, 'EDCB'],
        [{ memory_type: 'semantic' }, 'EDCB'],
        [{ memory_type: 'rule' }, ''],
        [{ status: 'confirmed' }, 'E'],
        [{ status: 'deleted' }, ''],
        [{ visibility: 'scope_org' }, 'B'],
        [{ visibility: 'scope_agent' }, 'D'],
        [{ run_id: 'one' }, 'EA'],
        [{ run_id: 'one', agent_id: 'ben' }, 'E'],
        [{ filter: '{"run_id":"one"}' }, 'EA'],
        [{ filter: '{"or":[{"memory_type":"decision"},{"status":"pending"}]}' }, 'CA'],
        [{ filter: '{"not":{"run_id":{"exists":true}}}', sort: 'weight' }, 'BC'],
        [{ filter: '{"run_id":"one"}', agent_id: 'ben' }, 'E'],
        [{ filter: ' { "created_at" : { "gt" : "2020-01-01" } } ', order: 'asc' }, 'ABCDE'],
      ]
      for (const [query, found] of cases)
        it(`with ${JSON.stringify(query)} contains ${found || 'nothing'}`, async () =>
          expect(await contents(query)).to.equal(found))

      it('contains memories created after and before an instant, both exclusive', async () => {
        const [first, last] = [rows[1]!.created_at, rows[4]!.created_at]
        expect(await contents({ created_after: first })).to.equal('EDC')
        expect(await contents({ created_before: last })).to.equal('DCBA')
        expect(await contents({ created_after: first, created_before: last })).to.equal('DC')
        expect(await contents({ created_after: last })).to.equal('')
      })

      it('accepts an instant with a time zone offset', async () => {
        const at = new Date(Date.parse(rows[1]!.created_at) + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
        expect(await contents({ created_after: at })).to.equal('EDC')
      })

      it('shows each memory as a get by its id does', async () => {
        for (const row of await ana.memories.listAll()) expect(row).to.deep.equal((await ana.memories.get(row.id)).body)
      })

      const refused: [query: Record<string, string | number>, at: string][] = [
        [{ limit: 0 }, 'query.limit'],
        [{ limit: 201 }, 'query.limit'],
        [{ limit: '1.5' }, 'query.limit'],
        [{ sort: 'title' }, 'query.sort'],
        [{ order: 'up' }, 'query.order'],
        [{ status: 'lost' }, 'query.status'],
        [{ memory_type: 'dream' }, 'query.memory_type'],
        [{ visibility: 'all' }, 'query.visibility'],
        [{ run_id: '' }, 'query.run_id'],
        [{ agent_id: 'a b' }, 'query.agent_id'],
        [{ created_after: '2024-01-01T00:00:00' }, 'query.created_after'],
        [{ created_before: '2024-02-30T00:00:00Z' }, 'query.created_before'],
        [{ created_before: 'now' }, 'query.created_before'],
        [{ filter: 'run_id' }, 'query.filter'],
        [{ filter: '{}' }, 'query.filter'],
        [{ filter: '{"run_id":"one"},"x":1' }, 'query.filter'],
        [{ filter: '{"run":"one"}' }, 'query.filter.run'],
        [{ filter: '{"and":[{"status":"lost"}]}' }, 'query.filter.and.0.status'],
        [{ filter: '{"metadata.n":1152921504606846976}' }, 'query.filter.metadata.n'],
        [{ filter: '{"metadata.n":1e400}' }, 'query.filter.metadata.n'],
        [{ filter: '{"run_id":"\\u0000"}' }, 'query.filter.run_id'],
        [{ include_deleted: 'yes' }, 'query.include_deleted'],
        [{ cursor: '' }, 'query.cursor'],
        [{ agent: 'ana' }, 'query.agent'],
        [{ __proto__: 'x', constructor: 'x' }, 'query.constructor'],
      ]
      for (const [query, at] of refused)
        it(`with ${JSON.stringify(query)} is refused with 422`, async () =>
          expect(faultsOf(await ana.memories.list(query))).to.deep.equal([at]))

      it('is refused with 422 for a filter that is long or deep', async () => {
        for (const filter of [`{"run_id":"${'x'.repeat(8_000)}"}`, '['.repeat(1_000) + ']'.repeat(1_000)])
          expect(faultsOf(await ana.memories.list({ filter }))[0]).to.match(/^query\.filter/)
      })

      it('is refused with 422 for a parameter that is given twice', async () => {
        const answer = await ana.get('/api/v1/memories?agent_id=ana&agent_id=ben')
        expect(faultsOf(answer)).to.deep.equal(['query.agent_id'])
      })
    })

    describe('page by page', () => {
      let tenant: TestTenant
      let ana: Caller
      beforeEach(async () => {
        tenant = newTenant(service())
        ana = await tenant.caller({ agentId: 'ana' })
      })

      it('has 50 rows by default and 200 at most, and ends with a null cursor', async () => {
        await ana.memories.createMany([...Array(201).keys()].map((i) => ({ content: `Row ${i}.` })))
        const first = await ana.memories.list()
        expect(first.body.items).to.have.length(50)
        const large = await ana.memories.list({ limit: 200 })
        expect(large.body.items).to.have.length(200)
        const last = await ana.memories.list({ limit: 200, cursor: large.body.next_cursor })
        expect([last.body.items.length, last.body.next_cursor]).to.deep.equal([1, null])
        const exact = await ana.memories.list({ limit: 1, order: 'asc', agent_id: 'ana', cursor: undefined })
        expect(exact.body.next_cursor).to.be.a('string')
      })

      it('is empty with a null cursor for a tenant without memories', async () => {
        expect((await ana.memories.list()).body).to.deep.equal({ items: [], next_cursor: null })
      })

      for (const sort of ['created_at', 'weight', 'recall_count', 'last_recalled_at'])
        for (const order of ['asc', 'desc'])
          it(`by ${sort} ${order} shows every row once, also among equal values`, async () => {
            // Rows of one bulk share their created_at, and most share their weight.
            for (const batch of [0, 1])
              await ana.memories.createMany(
                [...Array(15).keys()].map((i) => ({ content: `Row ${batch} ${i}.`, weight: i % 3 === 0 ? 0.1 : 0.3 })),
              )
            const seen = await ana.memories.listAll({ sort, order, limit: 4 })
            expect(new Set(seen.map(({ id }) => id)).size).to.equal(30)
            const keys = seen.map((row) => [row[sort as 'weight'], row.id] as const)
            const sorted = [...keys].sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1))
            expect(keys).to.deep.equal(order === 'asc' ? sorted : sorted.reverse())
          })

      for (const query of [{ order: 'asc' }, { order: 'desc' }, { sort: 'weight', order: 'asc' }])
        it(`with ${JSON.stringify(query)} shows no row twice and misses none during writes`, async () => {
          const bulk = (name: string) =>
            ana.memories.createMany(
              [...Array(20).keys()].map((i) => ({ content: `${name} ${i}.`, weight: (i % 7) / 10 })),
            )
          await bulk('before 1')
          await bulk('before 2')
          let writing = true
          const writer = (async () => {
            for (let n = 0; writing; n++) await bulk(`during ${n}`)
          })()
          const seen: MemoryRecord[] = []
          let cursor: string | undefined
          do {
            const { body } = await ana.memories.list({ ...query, limit: 7, cursor })
            seen.push(...body.items)
            cursor = body.next_cursor ?? undefined
            // In ascending order the writer may stay ahead forever.
            if (seen.length > 150) writing = false
          } while (cursor !== undefined)
          writing = false
          await writer
          const ids = seen.map(({ id }) => id)
          expect(new Set(ids).size).to.equal(ids.length)
          const before = (await ana.memories.listAll()).filter(({ content }) => content.startsWith('before'))
          expect(before).to.have.length(40)
          expect(ids).to.include.members(before.map(({ id }) => id))
        })

      it('continues after a row that was deleted meanwhile', async () => {
        for (const content of ['A.', 'B.', 'C.', 'D.']) await ana.memories.create(content).ok()
        const first = await ana.memories.list({ limit: 2 })
        await ana.memories.delete(first.body.items[1]!.id).ok()
        const second = await ana.memories.list({ limit: 2, cursor: first.body.next_cursor })
        expect(second.body.items.map(({ content }: MemoryRecord) => content)).to.deep.equal(['B.', 'A.'])
      })

      it('accepts another limit with the same cursor', async () => {
        for (const content of ['A.', 'B.', 'C.', 'D.']) await ana.memories.create(content).ok()
        const first = await ana.memories.list({ limit: 1 })
        const rest = await ana.memories.list({ limit: 3, cursor: first.body.next_cursor })
        expect(rest.body.items).to.have.length(3)
      })

      it('refuses with 400 a cursor of another tenant, operation, order or filter, and one that was altered', async () => {
        for (const content of ['A.', 'B.', 'C.'])
          await ana.memories.create({ content, run_id: 'r', entity_links: [{ name: content }] }).ok()
        const { body } = await ana.memories.list({ limit: 1, run_id: 'r' })
        const cursor = body.next_cursor as string
        const otherTenantCaller = await newTenant(service()).caller({ agentId: 'ana' })
        const operator = await tenant.caller({ trust: 3 })
        const flipped = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A')
        const answers = [
          await otherTenantCaller.memories.list({ limit: 1, run_id: 'r', cursor }),
          await ana.memories.list({ limit: 1, cursor }),
          await ana.memories.list({ limit: 1, run_id: 's', cursor }),
          await ana.memories.list({ limit: 1, run_id: 'r', agent_id: 'ana', cursor }),
          await ana.memories.list({ limit: 1, run_id: 'r', filter: '{"run_id":"r"}', cursor }),
          await ana.memories.list({ limit: 1, run_id: 'r', order: 'asc', cursor }),
          await ana.memories.list({ limit: 1, run_id: 'r', sort: 'weight', cursor }),
          await operator.memories.list({ limit: 1, run_id: 'r', include_deleted: true, cursor }),
          await ana.entities.list({ limit: 1, cursor }),
          await ana.memories.list({ limit: 1, run_id: 'r', cursor: flipped }),
          await ana.memories.list({ limit: 1, run_id: 'r', cursor: `${cursor}=` }),
          await ana.memories.list({ limit: 1, run_id: 'r', cursor: cursor.slice(0, 20) }),
          await ana.memories.list({ limit: 1, run_id: 'r', cursor: 'x' }),
          await ana.memories.list({ cursor: "' or 1=1 --" }),
          await ana.memories.list({ run_id: 'r', cursor: (await ana.entities.list({ limit: 1 })).body.next_cursor }),
        ]
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(answers.length).fill(400))
        for (const answer of answers) expect(answer.body.error.code).to.equal('BAD_REQUEST')
        expect((await ana.memories.list({ limit: 1, run_id: 'r', cursor })).status).to.equal(200)
      })
    })
  })
})
