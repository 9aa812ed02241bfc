import { randomUUID } from 'node:crypto'
import { ScanFailedError } from '../../services/skills/skill-scanner.js'
import { systemClock } from '../../runtime/clock.js'
import { createLogger } from '../../runtime/logger.js'
import type { IndexingState } from '../../runtime/metrics.js'
import type { WorkerContext } from '../../workers/context.js'
import type { Embedder } from '../../models/embedder.js'
import type { SearchIndex } from '../../search/search-index.js'
import { claim, type ClaimedBatch } from '../../store/outbox/outbox-claim.js'
import type { PendingKind } from '../../store/schema.js'
import { jobContext } from '../../workers/context.js'
import { createFakeEmbedder, type FakeEmbedder } from './fake-embedder.js'
import { createFakeIndex, type FakeIndex } from './fake-index.js'
import type { TestStore } from './test-store.js'

export interface TestWorkerContext extends WorkerContext {
  /** The only index, unless `indexes` is given. */
  readonly index: FakeIndex
  readonly embedder: FakeEmbedder
  readonly measured: {
    readonly batches: number[]
    readonly states: IndexingState[]
    readonly enriched: string[]
    readonly opined: string[]
  }
}

type Given = Partial<WorkerContext> & { readonly index?: SearchIndex; readonly embedder?: Embedder }

/** Fails every scan: a test that scans gives its own. */
const NO_SCANNER = { scan: () => Promise.reject(new ScanFailedError('none')), stop: () => Promise.resolve() }

/** Returns everything that workers need over a real database, with short retries. */
export function testWorkerContext({ store, url }: TestStore, given: Given = {}): TestWorkerContext {
  const { index = createFakeIndex(), embedder = createFakeEmbedder() } = given
  const target = { buildId: randomUUID(), index, embedder }
  const measured: TestWorkerContext['measured'] = { batches: [], states: [], enriched: [], opined: [] }
  return {
    clock: systemClock,
    logger: createLogger('silent'),
    metrics: {
      batchIndexed: (count) => void measured.batches.push(count),
      indexing: (state) => void measured.states.push(state),
      indexCounts: () => undefined,
      enrichment: () => undefined,
      enriched: (outcome) => void measured.enriched.push(outcome),
      enrichmentTokens: () => undefined,
      job: () => undefined,
      jobRows: () => undefined,
      builds: () => undefined,
      scanned: () => undefined,
      opined: (outcome) => void measured.opined.push(outcome),
      unscanned: () => undefined,
      forgeRun: () => undefined,
    },
    store,
    index,
    embedder,
    indexes: {
      serving: () => target,
      targets: () => Promise.resolve([target]),
      open: () => Promise.resolve(target),
      remove: () => Promise.resolve(),
    },
    queue: { redisUrl: null, postgresUrl: url, prefix: 'test' },
    enrichment: null,
    pieceSpace: { piecesOf: () => new Uint16Array() },
    skillScanner: NO_SCANNER,
    forge: {
      languageModel: null,
      budget: { calls: 50, tokens: 1_000_000, tokensPerDay: null, withinMs: 60_000 },
      runMs: 600_000,
    },
    ...given,
    indexing: {
      pollMs: 10,
      attempts: { baseMs: 1, maxMs: 1, limit: 8 },
      outage: { baseMs: 20, maxMs: 100 },
      ...given.indexing,
    },
    measured,
  } as TestWorkerContext
}

/** Returns a tenant, an index and an embedder for one test of jobs, with an empty dirty set. */
export async function newJobs(test: TestStore) {
  await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
  const context = testWorkerContext(test)
  return { context, jobs: jobContext(context), tenant: `t-${randomUUID()}` }
}

/** Returns what the relay would hand out next. */
export async function takeBatch(
  { store }: TestStore,
  kind: PendingKind = 'memory',
  { batchSize = 100, leaseMs = 60_000 }: { batchSize?: number | undefined; leaseMs?: number | undefined } = {},
): Promise<ClaimedBatch | undefined> {
  const { batches } = await store.asSystem((system) =>
    claim(system, kind, { batches: 1, batchSize, leaseMs, after: '' }),
  )
  return batches[0]
}
