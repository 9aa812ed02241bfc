import { type RawBuilder, sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { ModelAnswer } from '../../domain/enrichment/inference.js'
import type { CompletionBudget, LanguageModel } from '../../models/language-model.js'
import type { IndexBuild } from '../../store/indexing/index-builds.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { claim, type ClaimedBatch } from '../../store/outbox/outbox-claim.js'
import { readWaitingState } from '../../store/outbox/outbox-upkeep.js'
import type { Store } from '../../store/store.js'
import { type EnrichmentOptions, type JobContext, jobContext } from '../../workers/context.js'
import { enrichMemories } from '../../workers/enrichment/enrich-memories.js'
import { createFakeEmbedder } from './fake-embedder.js'
import { createTestIndexes, type TestIndexes } from './index-builds.js'
import { newMemory } from './memories.js'
import { createTestStore, type TestStore } from './test-store.js'
import { testWorkerContext } from './worker-context.js'

const NOTHING: ModelAnswer = { type: null, title: null, tags: [], entities: [], triple: null, times: [] }
/** Tells a row that is requeued at once from one that waits. */
const LONG = { baseMs: 60_000, maxMs: 60_000 }
export const NOON = Date.parse('2026-05-13T12:00:00Z')

/** Answers one request, given how many came before it. */
type Answer = (before: number, signal?: AbortSignal) => Promise<Partial<ModelAnswer>>

interface Given {
  /** Default: the tag `river`. */
  readonly answer?: Answer
  /** True when the model answers a small request. */
  readonly isThere?: boolean
}

interface Database {
  readonly test: TestStore
  readonly indexes: TestIndexes
  readonly first: IndexBuild
}

/** Returns the database and the index of a suite's tests, and what begins one of them, with nothing that waits. */
export function enrichmentJobs() {
  let database: Database | undefined
  before(async () => {
    const test = await createTestStore()
    const indexes = createTestIndexes(test, createFakeEmbedder())
    database = { test, indexes, first: await indexes.first() }
  })
  after(() => database?.test.stop())
  return async (given: Given = {}) => {
    const jobs = new EnrichmentJobs(database!, given)
    await jobs.forgetRows()
    return jobs
  }
}

/** The rows of one tenant, the model that reads them, and the job that asks it. */
export class EnrichmentJobs {
  readonly test: TestStore
  readonly indexes: TestIndexes
  /** The index that serves. */
  readonly first: IndexBuild
  readonly tenant = `t-${randomUUID()}`
  readonly clock = { time: NOON, now: () => this.clock.time }
  /** Number of times that the model was asked. */
  asked = 0
  readonly #languageModel: LanguageModel

  constructor({ test, indexes, first }: Database, given: Given) {
    this.test = test
    this.indexes = indexes
    this.first = first
    this.#languageModel = this.#modelOf(given)
  }

  /** Returns the rows of another tenant, whose model is asked as by default. */
  ofAnotherTenant(): EnrichmentJobs {
    return new EnrichmentJobs(this, {})
  }

  #modelOf({ answer = () => Promise.resolve({ tags: ['river'] }), isThere = false }: Given): LanguageModel {
    const complete = async (_: unknown, __: unknown, budget: CompletionBudget, signal?: AbortSignal) => {
      budget.spend?.({ input: 70, output: 30 })
      return { ...NOTHING, ...(await answer(this.asked++, signal)) }
    }
    return {
      id: 'fake',
      complete: complete as LanguageModel['complete'],
      answers: () => Promise.resolve(isThere),
      health: () => ({ available: true }),
      close: () => Promise.resolve(),
    }
  }

  /** Returns what the job works with. */
  context(given: Partial<EnrichmentOptions> | null = {}, stopping?: AbortSignal): JobContext {
    const { test, clock, indexes } = this
    const options = { languageModel: this.#languageModel, concurrency: 1, tokensPerDay: null, withinMs: 1_000 }
    const enrichment = given && { ...options, ...given }
    return jobContext(testWorkerContext(test, { clock, indexes, indexing: { outage: LONG }, enrichment }), stopping)
  }

  /** Writes memories that wait to be read. */
  async write(contents: readonly string[], given: Partial<NewMemory> = {}): Promise<string[]> {
    const memories = contents.map((content) => newMemory(content, given))
    await this.test.store.transact({ tenantId: this.tenant }, (writer) =>
      insertMemories(writer, memories, { kinds: ['memory', 'enrich'] }),
    )
    return memories.map(({ id }) => id)
  }

  /** Claims the next row. */
  async take(leaseMs = 60_000): Promise<ClaimedBatch | undefined> {
    const limits = { batches: 1, batchSize: 1, leaseMs, after: '' }
    return (await this.test.store.asSystem((system) => claim(system, 'enrich', limits))).batches[0]
  }

  /** Works on the next row; null when there is none. */
  async work(given: Partial<EnrichmentOptions> | null = {}, stopping?: AbortSignal) {
    const batch = await this.take()
    return batch ? enrichMemories(this.context(given, stopping), batch) : null
  }

  async memory(id: string) {
    const rows = await this.test.store.read({ tenantId: this.tenant }, ({ db }) =>
      db.selectFrom('memories').selectAll().where('id', '=', id).execute(),
    )
    return rows[0]!
  }

  query<T>(statement: RawBuilder<T>) {
    return this.test.store.asSystem(async ({ db }) => (await statement.execute(db)).rows)
  }

  /** Returns the attempts of each row that waits, and in how many seconds it is due. */
  pending() {
    return this.query(sql<{ attempts: number; in_s: number }>`
      select attempts, extract(epoch from due_at - now())::float8 as in_s from index_pending
      where kind = 'enrich' and settled_at is null and tenant_id = ${this.tenant}`)
  }

  async waiting(): Promise<number> {
    return (await this.test.store.asSystem((system) => readWaitingState(system, 'enrich', this.tenant))).pending
  }

  /** Makes every waiting row due now. */
  hurry() {
    return this.query(sql`update index_pending set due_at = ${new Date(0)}`)
  }

  /** Leaves no row that waits, of any tenant. */
  forgetRows() {
    return this.query(sql`delete from index_pending`)
  }
}

/** Returns a store of which some transactions do otherwise. */
export function storeWith(store: Store, methods: Partial<Pick<Store, 'transact' | 'asSystem'>>): Store {
  const transactions: Pick<Store, 'read' | 'readAtOnce' | 'transact' | 'asSystem'> = {
    read: (bound, work) => store.read(bound, work),
    readAtOnce: (bound, work) => store.readAtOnce(bound, work),
    transact: (bound, work, options) => store.transact(bound, work, options),
    asSystem: (work) => store.asSystem(work),
    ...methods,
  }
  return transactions as Store
}
