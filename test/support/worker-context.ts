import { systemClock } from '../../runtime/clock.js'
import { createLogger } from '../../runtime/logger.js'
import type { IndexingState } from '../../runtime/metrics.js'
import type { WorkerContext } from '../../workers/context.js'
import { createFakeEmbedder, type FakeEmbedder } from './fake-embedder.js'
import { createFakeIndex, type FakeIndex } from './fake-index.js'
import type { TestStore } from './test-store.js'

export interface TestWorkerContext extends WorkerContext {
  readonly index: FakeIndex
  readonly embedder: FakeEmbedder
  readonly measured: { readonly batches: number[]; readonly states: IndexingState[] }
}

/** Everything that workers need over a real database, quick to try again. */
export function testWorkerContext({ store, url }: TestStore, given: Partial<WorkerContext> = {}): TestWorkerContext {
  const measured: TestWorkerContext['measured'] = { batches: [], states: [] }
  return {
    clock: systemClock,
    logger: createLogger('silent'),
    metrics: {
      batchIndexed: (count) => void measured.batches.push(count),
      indexing: (state) => void measured.states.push(state),
    },
    store,
    index: createFakeIndex(),
    embedder: createFakeEmbedder(),
    queue: { redisUrl: null, postgresUrl: url, prefix: 'test' },
    lifecycle: { archiveAfterDays: 90 },
    ...given,
    indexing: {
      pollMs: 10,
      tries: { baseMs: 1, maxMs: 1, limit: 8 },
      outage: { baseMs: 20, maxMs: 100 },
      ...given.indexing,
    },
    measured,
  } as TestWorkerContext
}
