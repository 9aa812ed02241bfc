import { expect } from 'chai'
import { sql as statement } from 'kysely'
import { randomBytes } from 'node:crypto'
import { membersOf } from '../../domain/documents/members.js'
import { readFormerDocuments, storeFormerMembers } from '../../store/documents/former-members.js'
import { JOBS } from '../../workers/jobs.js'
import type { Caller } from '../support/client.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { randomDocuments } from '../support/random-documents.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

/** Tests documents of an earlier version, which stored no members of lists. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile, queues: [] })
  describe('a document of an earlier version', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const sql = <Row extends object>(text: string) => runSql<Row>(service().databaseUrl, text, [tenant.id])
    /** Makes the documents that are there those of an earlier version. */
    async function age(): Promise<void> {
      await sql('delete from document_members where tenant_id = $1')
      await sql('update documents set members_stored = null where tenant_id = $1')
    }
    /** Changes a document as an earlier version does, which knows no members. */
    const changeFormerly = (docId: string, data: object) =>
      service().context.store.transact({ tenantId: tenant.id }, ({ db }) =>
        statement`update documents set data = ${JSON.stringify(data)}::jsonb, version = version + 1, updated_at = now()
          where tenant_id = ${tenant.id} and doc_id = ${docId}`.execute(db),
      )
    const membersStored = async (docId: string) => {
      const rows = await sql<{ docId: string; key: string; value: string }>(
        `select d.doc_id as "docId", m.key, m.value from documents d join document_members m on m.tenant_id = d.tenant_id and m.document_id = d.id
         where d.tenant_id = $1 order by m.key, m.value`,
      )
      return rows.filter((row) => row.docId === docId).map(({ key, value }) => ({ key, value }))
    }
    const job = async (limit = 400) => {
      const { store } = service().context
      const read = await store.asSystem((system) => readFormerDocuments(system, { limit }))
      return store.asSystem((system) => storeFormerMembers(system, read))
    }
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

    it('changes while the job has it in hand, and is stored as it then is', async () => {
      await ana.documents.put('c', 'a', { tags: ['kept', 'gone'] }).ok()
      await ana.documents.put('c', 'b', { tags: ['kept'] }).ok()
      await age()
      const stored = await service().context.store.asSystem(async (system) => {
        const read = await readFormerDocuments(system, { limit: 400 })
        // Would wait for the job if that held its locks since it read.
        await ana.documents.put('c', 'a', { tags: ['kept', 'new'] }).ok()
        return storeFormerMembers(system, read)
      })
      expect([stored, await left()]).to.deep.equal([1, 1])
      for (const renewed of [false, true]) {
        if (renewed) expect(await job()).to.equal(1)
        expect(await find({ tags: 'kept' })).to.deep.equal(['a', 'b'])
        expect([await find({ tags: 'new' }), await find({ tags: 'gone' })]).to.deep.equal([['a'], []])
      }
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
      const text = () => randomBytes(187_500).toString('base64')
      const items = Array.from({ length: 24 }, (_, i) => ({ doc_id: `d${i}`, data: { l: [text()] } }))
      await ana.documents.putMany('c', items).ok()
      await age()
      expect(await job()).to.be.within(1, 20)
      while ((await job()) > 0);
      expect(await left()).to.equal(0)
    })

    it('is found by its present members alone after an earlier version has changed it, before the job and after it', async () => {
      const long = (from: number) => Array.from({ length: 300 }, (_, i) => from + i)
      await ana.documents.put('c', 'a', { tags: ['kept', 'gone'], ids: long(0), one: ['x'] }).ok()
      await ana.documents.put('c', 'b', { tags: ['kept', 'gone'] }).ok()
      for (const change of [1, 2]) {
        const present = { tags: ['kept', `new${change}`], ids: long(1000 * change), many: [change] }
        await changeFormerly('a', present)
        for (const renewed of [false, true]) {
          if (renewed) expect(await job()).to.equal(1)
          expect(await find({ tags: 'kept' })).to.deep.equal(['a', 'b'])
          expect(await find({ tags: 'gone' })).to.deep.equal(['b'])
          expect(await find({ tags: 'new1' })).to.deep.equal(change === 1 ? ['a'] : [])
          expect(await find({ ids: 1000 * change + 299, many: change })).to.deep.equal(['a'])
          expect([await find({ ids: 5 }), await find({ one: 'x' })]).to.deep.equal([[], []])
        }
        expect(await membersStored('a')).to.have.deep.members([...membersOf(present).rows])
      }
    })

    it('is stored by each change of this version, so that the job has nothing to do', async () => {
      await ana.documents.put('c', 'a', { tags: ['kept', 'gone'] }).ok()
      for (const tags of [['kept', 'new'], ['kept'], 'kept', ['last']]) {
        await ana.documents.put('c', 'a', { tags }).ok()
        expect(await membersStored('a')).to.have.deep.members([...membersOf({ tags }).rows])
      }
      expect([await left(), await job()]).to.deep.equal([0, 0])
    })
  })
})
