import { expect } from 'chai'
import { startIndex } from '../../cli/index-start.js'
import { UnavailableError } from '../../runtime/errors.js'
import { createLogger } from '../../runtime/logger.js'
import type { SearchIndex } from '../../search/search-index.js'
import type { Store } from '../../store/store.js'
import { until } from '../support/states.js'

const logger = createLogger('silent')

/** An engine that is away for its first `failures` starts, over a store without rows that is away for as many queries. */
function make({ failures = 0, isFresh = true, storeFailures = 0, error = new UnavailableError('search') as Error }) {
  const counts = { starts: 0, pages: 0, seeded: 0 }
  const index = {
    engine: 'opensearch',
    fresh: isFresh,
    start: () => (counts.starts++ < failures ? Promise.reject(error) : Promise.resolve()),
    seeded: () => Promise.resolve(void counts.seeded++),
  } as unknown as SearchIndex
  const store = {
    asSystem: () =>
      counts.pages++ < storeFailures
        ? Promise.reject(new UnavailableError('postgres'))
        : Promise.resolve({ count: 0, last: { tenant: '', id: '' } }),
  } as unknown as Store
  return { index, store, counts }
}

describe('the start of the index', () => {
  it('does not wait for an engine that is away, and seeds once it is back', async () => {
    const { index, store, counts } = make({ failures: 2 })
    const start = await startIndex({ index, store, logger, seeds: true })
    expect(counts.seeded).to.equal(0)
    await until(() => counts.seeded === 1)
    expect(counts.starts).to.equal(3)
    await start.stop()
  })

  it('is broken off by a stop while the engine is away', async () => {
    const { index, store, counts } = make({ failures: Infinity })
    const start = await startIndex({ index, store, logger, seeds: true })
    await start.stop()
    expect(counts.seeded).to.equal(0)
  })

  it('calls an index seeded only after every row was enqueued', async () => {
    const { index, store, counts } = make({ storeFailures: 1 })
    const start = await startIndex({ index, store, logger, seeds: true })
    await until(() => counts.seeded === 1)
    // The one that failed, one of memories, one of documents.
    expect(counts.pages).to.equal(3)
    await start.stop()
  })

  it('enqueues nothing for an index that is not fresh, nor in a process that does not seed', async () => {
    for (const [isFresh, seeds] of [
      [false, true],
      [true, false],
    ] as const) {
      const { index, store, counts } = make({ isFresh })
      await (await startIndex({ index, store, logger, seeds })).stop()
      expect(counts).to.deep.equal({ starts: 1, pages: 0, seeded: 0 })
    }
  })

  it('fails for anything but an outage', async () => {
    const { index, store } = make({ failures: 1, error: new Error('disk full') })
    const error = await startIndex({ index, store, logger, seeds: true }).catch((caught: unknown) => caught)
    expect((error as Error).message).to.equal('disk full')
  })
})
