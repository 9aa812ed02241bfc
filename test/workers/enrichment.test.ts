import { expect } from 'chai'
import { sql } from 'kysely'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { sumEnrichmentUse } from '../../store/model-use.js'
import { enrichMemories } from '../../workers/enrichment/enrich-memories.js'
import { type EnrichmentJobs, enrichmentJobs, NOON, storeWith } from '../support/enrichment-jobs.js'

/** Tests the job that has memories read, on its own. */
describe('the enrichment job', () => {
  const begin = enrichmentJobs()

  it('saves the result, and settles', async () => {
    const jobs = await begin()
    const [id] = await jobs.write(['The mill by the river.'])
    expect(await jobs.work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect((await jobs.memory(id!)).system_metadata).to.deep.include({ tags: ['river'] })
    expect(await jobs.waiting()).to.equal(0)
  })

  it('asks again after a crash between the answer and its commit, and saves it once', async () => {
    const jobs = await begin()
    const [id] = await jobs.write(['The mill by the river.'])
    const dying = jobs.context()
    const { store } = dying
    let transactions = 0
    const crashing = storeWith(store, {
      // The first transaction records the cost; the second, which saves the result, ends before its commit.
      transact: (bound, work, options) =>
        store.transact(
          bound,
          async (writer) => {
            const done = await work(writer)
            if (++transactions === 2) throw new UnavailableError('postgres')
            return done
          },
          options,
        ),
    })
    const batch = await jobs.take(50)
    const failure = await enrichMemories({ ...dying, store: crashing }, batch!).catch((error: unknown) => error)
    expect(failure).to.include({ dependency: 'postgres' })
    expect((await jobs.memory(id!)).system_metadata).to.deep.equal({})
    expect(await jobs.waiting()).to.equal(1)
    await jobs.hurry()
    await jobs.test.store.asSystem(({ db }) =>
      db
        .updateTable('index_pending')
        .set({ lease: new Date(0) })
        .execute(),
    )
    expect(await jobs.work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect([jobs.asked, (await jobs.memory(id!)).version, await jobs.waiting()]).to.deep.equal([2, 1, 0])
  })

  it('saves one answer when it runs twice at once', async () => {
    const jobs = await begin({
      answer: () => Promise.resolve({ type: 'fact', times: [{ phrase: 'mill', relation: 'on' }], tags: ['x'] }),
    })
    const [id] = await jobs.write(['The mill turns.'])
    const batch = (await jobs.take())!
    await Promise.all([enrichMemories(jobs.context(), batch), enrichMemories(jobs.context(), batch)])
    expect((await jobs.memory(id!)).system_metadata).to.deep.include({ tags: ['x'] })
    expect(await jobs.waiting()).to.equal(0)
  })

  it('skips a text that changed while it was read, and reads the new one though nobody enqueued it', async () => {
    const jobs: EnrichmentJobs = await begin({
      answer: async (before) => {
        if (before > 0) return { tags: ['owl'] }
        await jobs.test.store.transact({ tenantId: jobs.tenant }, ({ db }) =>
          sql`update memories set content = 'The owl wakes.', version = version + 1 where content = 'The fox sleeps.'`.execute(
            db,
          ),
        )
        return { tags: ['fox'] }
      },
    })
    const [id] = await jobs.write(['The fox sleeps.'])
    expect(await jobs.work()).to.deep.equal({ settled: 0, failed: 0, released: 1 })
    expect((await jobs.memory(id!)).system_metadata).to.deep.equal({})
    expect(await jobs.work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect((await jobs.memory(id!)).system_metadata).to.deep.include({ tags: ['owl'] })
  })

  describe('within its budget', () => {
    it('reads until the day’s tokens are used up, and leaves the rest for the next day', async () => {
      const jobs = await begin()
      await jobs.write(['One mill.', 'Two mills.', 'Three mills.'])
      const budget = { tokensPerDay: 150 }
      expect([await jobs.work(budget), await jobs.work(budget)].map((outcome) => outcome!.settled)).to.deep.equal([
        1, 1,
      ])
      expect(await jobs.work(budget)).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      expect(jobs.asked).to.equal(2)
      const [row] = await jobs.pending()
      expect(row!.attempts).to.equal(0)
      // Midnight is 12 hours away, plus up to a minute of random delay.
      expect(row!.in_s).to.be.within(12 * 3600 - 10, 12 * 3600 + 61)

      await jobs.hurry()
      jobs.clock.time += 13 * 3_600_000
      expect(await jobs.work(budget)).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    })

    it('counts per tenant, including failures', async () => {
      const jobs = await begin({ answer: () => Promise.reject(new ModelCallError('unfit', 'no JSON')) })
      await jobs.write(['One mill.'])
      await jobs.work({ tokensPerDay: 100 })
      const use = await jobs.test.store.asSystem((system) => sumEnrichmentUse(system, '2026-05-13', jobs.tenant))
      expect(use).to.deep.equal({ calls: 1, input_tokens: 70, output_tokens: 30, enriched: 0, failed: 0 })
      await jobs.hurry()
      expect(await jobs.work({ tokensPerDay: 100 })).to.deep.include({ released: 1 })
      await jobs.hurry()
      await jobs.forgetRows()
      const others = jobs.ofAnotherTenant()
      await others.write(['One mill.'])
      expect(await others.work({ tokensPerDay: 100 })).to.deep.include({ settled: 1 })
    })
  })

  it('reads no memory that no longer states anything, and none without a model', async () => {
    const jobs = await begin()
    for (const status of ['archived', 'outdated', 'cancelled', 'deleted'] as const) {
      const [id] = await jobs.write([`A ${status} one.`])
      const move = { from: ['active'], to: status, at: new Date(NOON) } as const
      await jobs.test.store.transact({ tenantId: jobs.tenant }, (writer) => changeStatus(writer, [id!], move))
      expect(await jobs.work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    }
    await jobs.write(['The mill.'])
    expect(await jobs.work(null)).to.deep.equal({ settled: 0, failed: 0, released: 1 })
    expect(jobs.asked).to.equal(0)
  })

  it('leaves the type alone when a caller chose it, or nobody knows', async () => {
    const jobs = await begin({ answer: () => Promise.resolve({ type: 'plan' }) })
    const [chosen] = await jobs.write(['We plan a mill.'])
    await jobs.work()
    const [open] = await jobs.write(['We plan a dam.'], { typeGiven: false })
    await jobs.work()
    expect([(await jobs.memory(chosen!)).memory_type, (await jobs.memory(open!)).memory_type]).to.deep.equal([
      'fact',
      'plan',
    ])
    const counted = await jobs.query(sql`
      select memory_type, sum(delta)::int as sum from memory_counter_deltas where tenant_id = ${jobs.tenant} group by 1 order by 1`)
    expect(counted).to.deep.equal([
      { memory_type: 'fact', sum: 1 },
      { memory_type: 'plan', sum: 1 },
    ])
  })
})
