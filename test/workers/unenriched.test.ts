import { expect } from 'chai'
import { enqueueUnenriched } from '../../store/enrichment/unenriched.js'
import { type EnrichmentJobs, enrichmentJobs, storeWith } from '../support/enrichment-jobs.js'

/** Tests the enqueuing of memories that no model has read. */
describe('the enrichment job', () => {
  const begin = enrichmentJobs()

  describe('for memories written without a model', () => {
    const enqueue = ({ test, tenant }: EnrichmentJobs) =>
      enqueueUnenriched(test.store, { tenantId: tenant, pageSize: 2 })
    const texts = ['One mill.', 'Two mills.', 'Three mills.', 'Four mills.', 'Five mills.']
    const old = async (jobs: EnrichmentJobs) => {
      const ids = await jobs.write(texts)
      await jobs.forgetRows()
      return ids
    }

    it('enqueues page by page, and once: those that were read or wait are skipped', async () => {
      const jobs = await begin()
      const ids = await old(jobs)
      expect(await enqueue(jobs)).to.equal(5)
      expect(await enqueue(jobs)).to.equal(0)
      await jobs.work()
      expect([await enqueue(jobs), await jobs.waiting()]).to.deep.equal([0, 4])
      const other = ids[4]!
      await jobs.test.store.asSystem(({ db }) =>
        db.updateTable('memories').set({ status: 'archived' }).where('id', '=', other).execute(),
      )
      await jobs.forgetRows()
      expect(await enqueue(jobs)).to.equal(3)
    })

    it('enqueues again when the title that was read changes, and not when one is added later', async () => {
      const jobs = await begin()
      const [titled] = await jobs.write(['It hums.'], { title: 'The mill' })
      const [bare] = await jobs.write(['It turns.'])
      while (await jobs.work());
      const change = (id: string, columns: { title?: string; content?: string }) =>
        jobs.test.store.asSystem(({ db }) => db.updateTable('memories').set(columns).where('id', '=', id).execute())
      expect(await enqueue(jobs)).to.equal(0)
      await change(bare!, { title: 'The dam' })
      expect(await enqueue(jobs)).to.equal(0)
      await change(titled!, { title: 'The dam' })
      expect(await enqueue(jobs)).to.equal(1)
      const [other] = await jobs.write(['It stands.'])
      while (await jobs.work());
      await change(other!, { content: 'It fell.' })
      expect(await enqueue(jobs)).to.equal(1)
    })

    it('continues after an interruption', async () => {
      const jobs = await begin()
      await old(jobs)
      const stopping = new AbortController()
      let pages = 0
      const breaking = storeWith(jobs.test.store, {
        asSystem: async (work) => {
          const page = await jobs.test.store.asSystem(work)
          if (++pages === 2) stopping.abort(new Error('broken off'))
          return page
        },
      })
      const broken = await enqueueUnenriched(breaking, {
        tenantId: jobs.tenant,
        pageSize: 2,
        signal: stopping.signal,
      }).catch((error: Error) => error.message)
      expect([broken, await jobs.waiting()]).to.deep.equal(['broken off', 4])
      expect([await enqueue(jobs), await jobs.waiting()]).to.deep.equal([1, 5])
    })

    it('enqueues those of the named tenant, and makes rows due that wait for another day', async () => {
      const jobs = await begin()
      await old(jobs)
      const others = jobs.ofAnotherTenant()
      await old(others)
      expect(await enqueue(jobs)).to.equal(5)
      expect(await others.waiting()).to.equal(0)
      await jobs.test.store.asSystem(({ db }) =>
        db
          .updateTable('index_pending')
          .set({ due_at: new Date(Date.now() + 9e6) })
          .execute(),
      )
      expect(await jobs.take()).to.equal(undefined)
      await enqueue(jobs)
      expect((await jobs.take())?.tenantId).to.equal(jobs.tenant)
    })
  })
})
