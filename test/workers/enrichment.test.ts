import { expect } from 'chai'
import { type RawBuilder, sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { ModelAnswer } from '../../domain/enrichment/inference.js'
import type { CompletionBudget, LanguageModel } from '../../models/language-model.js'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import { sumEnrichmentUse } from '../../store/model-use.js'
import type { SearchAnswer } from '../../search/search-index.js'
import type { IndexBuild } from '../../store/indexing/index-builds.js'
import { announceMark, confirmMark, markBuildLost, readMarks } from '../../store/indexing/index-marks.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { claim, type ClaimedBatch } from '../../store/outbox/outbox-claim.js'
import { readWaitingState } from '../../store/outbox/outbox-upkeep.js'
import type { Store } from '../../store/store.js'
import { enqueueUnenriched } from '../../store/enrichment/unenriched.js'
import type { EnrichmentOptions } from '../../workers/context.js'
import { enrichMemories } from '../../workers/enrichment/enrich-memories.js'
import { jobContext } from '../../workers/context.js'
import { createFakeEmbedder } from '../support/fake-embedder.js'
import { createTestIndexes, type TestIndexes } from '../support/index-builds.js'
import { newMemory } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'

const NOTHING: ModelAnswer = { type: null, title: null, tags: [], entities: [], triple: null, times: [] }
/** Tells a row that is requeued at once from one that waits. */
const LONG = { baseMs: 60_000, maxMs: 60_000 }
const NOON = Date.parse('2026-05-13T12:00:00Z')

/** Returns the store with some of its methods replaced. */
function over(store: Store, methods: Partial<Pick<Store, 'transact' | 'asSystem'>>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = (methods as Record<string | symbol, unknown>)[name] ?? target[name as keyof Store]
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** The job that has memories read, on its own. */
describe('the enrichment job', () => {
  let test: TestStore
  let indexes: TestIndexes
  let first: IndexBuild
  let tenant: string
  let asked: number
  /** True when the model answers a small request. */
  let isThere: boolean
  let answer: (budget: CompletionBudget, signal?: AbortSignal) => Promise<Partial<ModelAnswer>>
  const languageModel: LanguageModel = {
    id: 'fake',
    async complete<T>(_prompt: unknown, _schema: unknown, budget: CompletionBudget, signal?: AbortSignal) {
      asked++
      budget.spend?.({ input: 70, output: 30 })
      return { ...NOTHING, ...(await answer(budget, signal)) } as T
    },
    answers: () => Promise.resolve(isThere),
    health: () => ({ available: true }),
    close: () => Promise.resolve(),
  }

  before(async () => {
    test = await createTestStore()
    indexes = createTestIndexes(test, createFakeEmbedder())
    first = await indexes.first()
  })
  after(() => test.stop())
  beforeEach(async () => {
    tenant = `t-${randomUUID()}`
    asked = 0
    isThere = false
    now = NOON
    answer = () => Promise.resolve({ tags: ['river'] })
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
  })

  let now = NOON
  const clock = { now: () => now }
  function context(given: Partial<EnrichmentOptions> | null = {}, stopping?: AbortSignal) {
    const options = { languageModel, concurrency: 1, tokensPerDay: null, withinMs: 1_000 }
    return jobContext(
      testWorkerContext(test, {
        clock,
        indexes,
        indexing: { outage: LONG },
        enrichment: given && { ...options, ...given },
      }),
      stopping,
    )
  }
  async function write(contents: readonly string[], given: Partial<NewMemory> = {}): Promise<string[]> {
    const memories = contents.map((content) => newMemory(content, given))
    await test.store.transact({ tenantId: tenant }, (writer) =>
      insertMemories(writer, memories, { kinds: ['memory', 'enrich'] }),
    )
    return memories.map(({ id }) => id)
  }
  const take = async (leaseMs = 60_000): Promise<ClaimedBatch | undefined> =>
    (await test.store.asSystem((system) => claim(system, 'enrich', { batches: 1, batchSize: 1, leaseMs, after: '' })))
      .batches[0]
  async function work(given: Partial<EnrichmentOptions> | null = {}, stopping?: AbortSignal) {
    const batch = await take()
    return batch ? enrichMemories(context(given, stopping), batch) : null
  }
  const memory = async (id: string) =>
    (
      await test.store.read({ tenantId: tenant }, ({ db }) =>
        db.selectFrom('memories').selectAll().where('id', '=', id).execute(),
      )
    )[0]!
  const query = <T>(statement: RawBuilder<T>) =>
    test.store.asSystem(async ({ db }) => (await statement.execute(db)).rows)
  const pending = () =>
    query(sql<{ attempts: number; in_s: number }>`
      select attempts, extract(epoch from due_at - now())::float8 as in_s from index_pending
      where kind = 'enrich' and settled_at is null and tenant_id = ${tenant}`)
  const waiting = async () =>
    (await test.store.asSystem((system) => readWaitingState(system, 'enrich', tenant))).pending
  /** Makes every waiting row due now. */
  const hurry = () =>
    test.store.asSystem(({ db }) =>
      db
        .updateTable('index_pending')
        .set({ due_at: new Date(0) })
        .execute(),
    )

  it('saves the result, and settles', async () => {
    const [id] = await write(['The mill by the river.'])
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect((await memory(id!)).system_metadata).to.deep.include({ tags: ['river'] })
    expect(await waiting()).to.equal(0)
  })

  it('asks again after a crash between the answer and its commit, and saves it once', async () => {
    const [id] = await write(['The mill by the river.'])
    const dying = context()
    const { store } = dying
    let transactions = 0
    const crashing = over(store, {
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
    const batch = await take(50)
    const failure = await enrichMemories({ ...dying, store: crashing }, batch!).catch((error: unknown) => error)
    expect(failure).to.include({ dependency: 'postgres' })
    expect((await memory(id!)).system_metadata).to.deep.equal({})
    expect(await waiting()).to.equal(1)
    await hurry()
    await test.store.asSystem(({ db }) =>
      db
        .updateTable('index_pending')
        .set({ lease: new Date(0) })
        .execute(),
    )
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect([asked, (await memory(id!)).version, await waiting()]).to.deep.equal([2, 1, 0])
  })

  it('saves one answer when it runs twice at once', async () => {
    const [id] = await write(['The mill turns.'])
    const batch = (await take())!
    answer = () => Promise.resolve({ type: 'fact', times: [{ phrase: 'mill', relation: 'on' }], tags: ['x'] })
    await Promise.all([enrichMemories(context(), batch), enrichMemories(context(), batch)])
    expect((await memory(id!)).system_metadata).to.deep.include({ tags: ['x'] })
    expect(await waiting()).to.equal(0)
  })

  it('skips a text that changed while it was read, and reads the new one though nobody enqueued it', async () => {
    const [id] = await write(['The fox sleeps.'])
    answer = async () => {
      await test.store.transact({ tenantId: tenant }, ({ db }) =>
        sql`update memories set content = 'The owl wakes.', version = version + 1 where id = ${id}`.execute(db),
      )
      return { tags: ['fox'] }
    }
    expect(await work()).to.deep.equal({ settled: 0, failed: 0, released: 1 })
    expect((await memory(id!)).system_metadata).to.deep.equal({})
    answer = () => Promise.resolve({ tags: ['owl'] })
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect((await memory(id!)).system_metadata).to.deep.include({ tags: ['owl'] })
  })

  describe('counts', () => {
    it('no attempt while the model is unavailable, and waits', async () => {
      await write(['The mill by the river.'])
      answer = () => Promise.reject(new UnavailableError('language model', new ModelCallError('failing', '503')))
      expect(await work()).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      expect(await pending()).to.have.length(1)
      expect((await pending())[0]!.attempts).to.equal(0)
    })

    for (const failure of ['timeout', 'failing', 'malformed'] as const)
      it(`an attempt for a text that alone makes the model fail (${failure}), and saves the eighth as failed`, async () => {
        const [id] = await write(['The mill by the river.'])
        isThere = true
        answer = () => Promise.reject(new UnavailableError('language model', new ModelCallError(failure, 'late')))
        for (let attempts = 1; attempts < 8; attempts++) {
          expect(await work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
          expect((await pending())[0]!.attempts).to.equal(attempts)
          await hurry()
        }
        expect(await work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
        expect((await memory(id!)).system_metadata.enrichment).to.deep.include({ state: 'failed' })
        expect([asked, await waiting()]).to.deep.equal([8, 0])
      })

    it('no attempt when the model is busy, unreachable or behind an open circuit', async () => {
      await write(['The mill by the river.'])
      isThere = true
      for (const failure of ['busy', 'unreachable', 'circuit open', 'misconfigured'] as const) {
        answer = () => Promise.reject(new UnavailableError('language model', new ModelCallError(failure, '')))
        expect(await work(), failure).to.deep.equal({ settled: 0, failed: 0, released: 1 })
        expect((await pending())[0]!.attempts).to.equal(0)
        await hurry()
      }
    })

    it('an attempt for an unusable answer, and saves the last one as failed', async () => {
      const [id] = await write(['The mill by the river.'])
      answer = () => Promise.reject(new ModelCallError('refused', '400'))
      for (const attempts of [1, 2]) {
        expect(await work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
        expect((await pending())[0]!.attempts).to.equal(attempts)
        await hurry()
      }
      expect(await work({ attempts: 3 })).to.deep.equal({ settled: 0, failed: 1, released: 0 })
      expect((await memory(id!)).system_metadata.enrichment).to.deep.include({ state: 'failed' })
      expect(await waiting()).to.equal(0)
    })

    it('an attempt when the result cannot be saved, and marks the row as failed in the end', async () => {
      await write(['The mill by the river.'])
      const { store } = context()
      let transactions = 0
      const refusing = over(store, {
        // Every other transaction records the cost of the reading.
        transact: (bound, work, options) =>
          store.transact(
            bound,
            async (writer) => {
              if (++transactions % 3 === 2) await sql`select 1 / 0`.execute(writer.db)
              return work(writer)
            },
            options,
          ),
      })
      const outcomes = []
      for (let batch = await take(); batch; batch = await take()) {
        outcomes.push(await enrichMemories({ ...context(), store: refusing }, batch))
        await hurry()
      }
      expect(outcomes).to.deep.equal(Array(8).fill({ settled: 0, failed: 1, released: 0 }))
      const [row] = await query(sql<{ error: string }>`
        select error from index_pending where kind = 'enrich' and failed_at is not null and tenant_id = ${tenant}`)
      expect(row!.error).to.contain('22012')
    })

    it('no attempt while the search engine is unavailable, and asks no model', async () => {
      await write(['The mill by the river.'])
      const away = context()
      const target = away.indexes.serving()
      const fault = { reason: 'unreachable', detail: 'away' } as const
      const index = { ...target.index, health: () => Promise.resolve(fault) }
      const indexes = { ...away.indexes, serving: () => ({ ...target, index }) }
      expect(await enrichMemories({ ...away, indexes }, (await take())!)).to.deep.include({ released: 1 })
      expect([asked, (await pending())[0]!.attempts]).to.deep.equal([0, 0])
    })

    describe('no try while the index is not whole', () => {
      const known = async () => (await test.store.asSystem((s) => readMarks(s, first.id))).marks
      /** Works with the next row; returns what came of it, and whether indexing is slowed down. */
      async function workBeside() {
        const jobs = context()
        const outcome = await enrichMemories(jobs, (await take())!)
        return { ...outcome, isSlowedDown: jobs.outages.search.isOn }
      }

      it('asks no model where it is lost, and does not slow down what fills another', async () => {
        await write(['The mill by the river.'])
        indexes.indexOf(first).isAway = true
        await test.store.asSystem((s) => markBuildLost(s, first.id, 'the index is missing'))
        try {
          expect(await workBeside()).to.deep.include({ settled: 0, released: 1, isSlowedDown: false })
          expect([asked, (await pending())[0]!.attempts]).to.deep.equal([0, 0])
        } finally {
          indexes.indexOf(first).isAway = false
          await query(sql`update index_builds set lost_at = null, error = null`)
        }
        await hurry()
        expect(await workBeside()).to.deep.include({ settled: 1 })
      })

      it('settles nothing after a search of an index that has another mark', async () => {
        const [id] = await write(['The mill by the river.'])
        const marks = await known()
        await indexes.indexOf(first).remark(marks, 'of another time')
        try {
          expect(await workBeside()).to.deep.include({ settled: 0, released: 1, isSlowedDown: false })
          expect((await pending())[0]!.attempts).to.equal(0)
          expect((await memory(id!)).system_metadata).to.not.have.property('enrichment')
        } finally {
          await indexes.indexOf(first).remark(['of another time'], marks[0]!)
        }
      })

      it('but settles where the mark moves on during the search', async () => {
        await write(['The mill by the river.'])
        const index = indexes.indexOf(first)
        const real = index.for
        const moveMark = async () => {
          const { next, known } = (await test.store.asSystem((s) => announceMark(s, first.id, { everyMs: 0 })))!
          await index.remark(known, next!)
          await test.store.asSystem((s) => confirmMark(s, first.id, next!))
        }
        index.for = (...given) => ({
          ...real(...given),
          async search(request) {
            await moveMark()
            const found = await real(...given).search(request)
            await moveMark()
            return found
          },
        })
        try {
          expect(await workBeside()).to.deep.include({ settled: 1 })
        } finally {
          index.for = real
        }
      })
    })

    describe('when legs of the search fail', () => {
      let failing: (answer: SearchAnswer) => SearchAnswer
      let restore: () => void
      beforeEach(() => {
        const index = indexes.indexOf(first)
        const real = index.for
        index.for = (...given) => ({
          ...real(...given),
          search: async (request) => failing(await real(...given).search(request)),
        })
        restore = () => void (index.for = real)
      })
      afterEach(() => restore())

      const alone = (answer: SearchAnswer): SearchAnswer => ({ ...answer, legs: { entity: [] }, failed: ['vector'] })

      it('one alone: an attempt, and what it would have found is asked for again', async () => {
        const [id] = await write(['The mill by the river.'])
        failing = alone
        expect(await work()).to.deep.equal({ settled: 0, failed: 1, released: 0 })
        expect((await pending())[0]!.attempts).to.equal(1)
        expect((await memory(id!)).system_metadata).to.not.have.property('enrichment')
        restore()
        await hurry()
        expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
      })

      it('one alone, every time: the last attempt saves what was read, without conflicts', async () => {
        const [id] = await write(['The mill by the river.'])
        failing = alone
        for (let attempt = 1; attempt < 3; attempt++) {
          expect(await work()).to.deep.equal({ settled: 0, failed: 1, released: 0 })
          await hurry()
        }
        expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
        expect((await memory(id!)).system_metadata).to.have.property('enrichment')
      })

      it('all of them: none, since the engine is overloaded', async () => {
        await write(['The mill by the river.'])
        failing = (answer) => ({ ...answer, legs: {}, failed: ['vector'] })
        expect(await work()).to.deep.equal({ settled: 0, failed: 0, released: 1 })
        expect((await pending())[0]!.attempts).to.equal(0)
      })
    })

    it('none when the process stops: the call is broken off and the row given back at once', async () => {
      await write(['The mill by the river.'])
      const stopping = new AbortController()
      answer = (_, signal) => {
        stopping.abort()
        expect(signal?.aborted).to.equal(true)
        return Promise.reject(new UnavailableError('language model', new ModelCallError('aborted', '')))
      }
      expect(await work({}, stopping.signal)).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      const [row] = await pending()
      expect(row!.attempts).to.equal(0)
      expect(row!.in_s).to.be.below(1)
    })
  })

  describe('within its budget', () => {
    it('reads until the day’s tokens are used up, and leaves the rest for the next day', async () => {
      await write(['One mill.', 'Two mills.', 'Three mills.'])
      const budget = { tokensPerDay: 150 }
      expect([await work(budget), await work(budget)].map((outcome) => outcome!.settled)).to.deep.equal([1, 1])
      expect(await work(budget)).to.deep.equal({ settled: 0, failed: 0, released: 1 })
      expect(asked).to.equal(2)
      const [row] = await pending()
      expect(row!.attempts).to.equal(0)
      // Midnight is 12 hours away, plus up to a minute of random delay.
      expect(row!.in_s).to.be.within(12 * 3600 - 10, 12 * 3600 + 61)

      await hurry()
      now += 13 * 3_600_000
      expect(await work(budget)).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    })

    it('counts per tenant, including failures', async () => {
      await write(['One mill.'])
      answer = () => Promise.reject(new ModelCallError('unfit', 'no JSON'))
      await work({ tokensPerDay: 100 })
      const use = await test.store.asSystem((system) => sumEnrichmentUse(system, '2026-05-13', tenant))
      expect(use).to.deep.equal({ calls: 1, input_tokens: 70, output_tokens: 30, enriched: 0, failed: 0 })
      await hurry()
      expect(await work({ tokensPerDay: 100 })).to.deep.include({ released: 1 })
      await hurry()
      await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
      tenant = `t-${randomUUID()}`
      await write(['One mill.'])
      answer = () => Promise.resolve({})
      expect(await work({ tokensPerDay: 100 })).to.deep.include({ settled: 1 })
    })
  })

  it('reads no memory that no longer states anything, and none without a model', async () => {
    for (const status of ['archived', 'outdated', 'cancelled', 'deleted'] as const) {
      const [id] = await write([`A ${status} one.`])
      const move = { from: ['active'], to: status, at: new Date(NOON) } as const
      await test.store.transact({ tenantId: tenant }, (writer) => changeStatus(writer, [id!], move))
      expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    }
    await write(['The mill.'])
    expect(await work(null)).to.deep.equal({ settled: 0, failed: 0, released: 1 })
    expect(asked).to.equal(0)
  })

  it('leaves the type alone when a caller chose it, or nobody knows', async () => {
    answer = () => Promise.resolve({ type: 'plan' })
    const [chosen] = await write(['We plan a mill.'])
    await work()
    const [open] = await write(['We plan a dam.'], { typeGiven: false })
    await work()
    expect([(await memory(chosen!)).memory_type, (await memory(open!)).memory_type]).to.deep.equal(['fact', 'plan'])
    const counted = await query(sql`
      select memory_type, sum(delta)::int as sum from memory_counter_deltas where tenant_id = ${tenant} group by 1 order by 1`)
    expect(counted).to.deep.equal([
      { memory_type: 'fact', sum: 1 },
      { memory_type: 'plan', sum: 1 },
    ])
  })

  describe('for memories written without a model', () => {
    const enqueue = (options = {}) => enqueueUnenriched(test.store, { tenantId: tenant, pageSize: 2, ...options })
    const texts = ['One mill.', 'Two mills.', 'Three mills.', 'Four mills.', 'Five mills.']
    const old = async () => {
      const ids = await write(texts)
      await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
      return ids
    }

    it('enqueues page by page, and once: those that were read or wait are skipped', async () => {
      const ids = await old()
      expect(await enqueue()).to.equal(5)
      expect(await enqueue()).to.equal(0)
      await work()
      expect([await enqueue(), await waiting()]).to.deep.equal([0, 4])
      const other = ids[4]!
      await test.store.asSystem(({ db }) =>
        db.updateTable('memories').set({ status: 'archived' }).where('id', '=', other).execute(),
      )
      await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
      expect(await enqueue()).to.equal(3)
    })

    it('enqueues again when the title that was read changes, and not when one is added later', async () => {
      const [titled] = await write(['It hums.'], { title: 'The mill' })
      const [bare] = await write(['It turns.'])
      while (await work());
      const change = (id: string, columns: { title?: string; content?: string }) =>
        test.store.asSystem(({ db }) => db.updateTable('memories').set(columns).where('id', '=', id).execute())
      expect(await enqueue()).to.equal(0)
      await change(bare!, { title: 'The dam' })
      expect(await enqueue()).to.equal(0)
      await change(titled!, { title: 'The dam' })
      expect(await enqueue()).to.equal(1)
      const [other] = await write(['It stands.'])
      while (await work());
      await change(other!, { content: 'It fell.' })
      expect(await enqueue()).to.equal(1)
    })

    it('continues after an interruption', async () => {
      await old()
      const stopping = new AbortController()
      let pages = 0
      const breaking = over(test.store, {
        asSystem: async (work) => {
          const page = await test.store.asSystem(work)
          if (++pages === 2) stopping.abort(new Error('broken off'))
          return page
        },
      })
      const broken = await enqueueUnenriched(breaking, {
        tenantId: tenant,
        pageSize: 2,
        signal: stopping.signal,
      }).catch((error: Error) => error.message)
      expect([broken, await waiting()]).to.deep.equal(['broken off', 4])
      expect([await enqueue(), await waiting()]).to.deep.equal([1, 5])
    })

    it('enqueues those of the named tenant, and makes rows due that wait for another day', async () => {
      await old()
      const named = tenant
      tenant = `t-${randomUUID()}`
      await old()
      expect(await enqueue({ tenantId: named })).to.equal(5)
      expect(await waiting()).to.equal(0)
      await test.store.asSystem(({ db }) =>
        db
          .updateTable('index_pending')
          .set({ due_at: new Date(Date.now() + 9e6) })
          .execute(),
      )
      expect(await take()).to.equal(undefined)
      await enqueue({ tenantId: named })
      expect((await take())?.tenantId).to.equal(named)
    })
  })
})
