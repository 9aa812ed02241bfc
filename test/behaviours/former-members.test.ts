import { expect } from 'chai'
import { storeFormerMembers } from '../../store/documents/former-members.js'
import { JOBS } from '../../workers/jobs.js'
import type { Caller } from '../support/client.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { randomDocuments } from '../support/random-documents.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

/** Tests documents of an earlier version, which stored no members of lists. */
describeOnEmbedded(() => {
  const service = ownService({ queues: [] })
  describe('a document of an earlier version', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const sql = <Row extends object>(statement: string) => runSql<Row>(service().databaseUrl, statement, [tenant.id])
    /** Makes the documents that are there those of an earlier version. */
    async function age(): Promise<void> {
      await sql('delete from document_members where tenant_id = $1')
      await sql('update documents set members_stored = null where tenant_id = $1')
    }
    const job = (limit = 400) => service().context.store.asSystem((system) => storeFormerMembers(system, { limit }))
    const left = async () => (await sql('select from documents where tenant_id = $1 and members_stored is null')).length
    const find = (where: object) => ana.documents.queryIds('c', { where, order: 'asc' })

    it('is found as any other before the job, while it works, and after it', async () => {
      const { rows, queries } = randomDocuments({ count: 60 })
      await ana.documents.putMany('c', rows).ok()
      await age()
      for (const limit of [0, 25, 400]) {
        if (limit > 0) await job(limit)
        expect(await left()).to.equal(limit === 0 ? 60 : limit === 25 ? 35 : 0)
        for (const { query, found } of queries)
          expect(await ana.documents.queryIds('c', query), JSON.stringify(query)).to.deep.equal(found)
      }
      expect(await job()).to.equal(0)
      expect(JOBS.storeFormerMembers).to.include({ queue: 'lifecycle', repeatedBy: 'process' })
    })

    it('is found by its present members where it changes before the job', async () => {
      await ana.documents.put('c', 'a', { tags: ['kept', 'gone'], n: 1 }).ok()
      await ana.documents.put('c', 'b', { tags: ['kept'] }).ok()
      await age()
      await ana.documents.put('c', 'a', { tags: ['kept', 'new'], n: 1 }).ok()
      for (const renewed of [false, true]) {
        if (renewed) await job()
        expect(await find({ tags: 'kept' })).to.deep.equal(['a', 'b'])
        expect(await find({ tags: 'new' })).to.deep.equal(['a'])
        expect(await find({ tags: 'gone' })).to.deep.equal([])
        expect(await find({ tags: ['new', 'kept'], n: 1 })).to.deep.equal(['a'])
      }
      await ana.documents.put('c', 'a', { tags: 'kept' }).ok()
      expect(await find({ tags: 'new' })).to.deep.equal([])
    })

    it('is indexed again when it has a list, and only then', async () => {
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, [i]]))
      for (const [docId, data] of Object.entries({
        listed: { tags: ['x'] },
        many,
        plain: { n: 1, in: { tags: ['x'] } },
      }))
        await ana.documents.put('c', docId, data).ok()
      await age()
      const changes = async () =>
        new Map(
          (
            await sql<{ name: string; seq: string }>(
              `select d.doc_id as name, p.seq from index_pending p join documents d on d.id = p.entity_id and d.tenant_id = p.tenant_id
               where p.tenant_id = $1`,
            )
          ).map(({ name, seq }) => [name, seq]),
        )
      const before = await changes()
      await job()
      const after = await changes()
      const again = [...after.keys()].filter((name) => after.get(name) !== before.get(name))
      expect(again).to.have.members(['listed', 'many'])
    })

    it('is found in a search that reads its row', async () => {
      await ana.documents.put('c', 'a', { text: 'harbour', tags: ['x'] }).ok()
      await age()
      for (const [tags, names] of [
        ['x', ['a']],
        ['y', []],
      ] as const) {
        const { results } = await ana.documents.search('harbour', { where: { tags } }).ok()
        expect(results.map(({ doc_id }: { doc_id: string }) => doc_id)).to.deep.equal(names)
      }
    })

    it('with 256 KiB of data is one of few that a transaction of the job reads', async () => {
      const items = Array.from({ length: 24 }, (_, i) => ({ doc_id: `d${i}`, data: { l: ['x'.repeat(250_000)] } }))
      await ana.documents.putMany('c', items).ok()
      await age()
      expect(await job()).to.be.within(1, 20)
      while ((await job()) > 0);
      expect(await left()).to.equal(0)
    })
  })
})
