import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { UnavailableError } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import type { Store } from '../../store/store.js'
import { jobContext } from '../../workers/context.js'
import { JOBS } from '../../workers/jobs.js'
import type { JobQueue, QueuedJob } from '../../workers/queue.js'
import { Relay } from '../../workers/relay.js'
import { remember } from '../support/memories.js'
import { createMovingClock } from '../support/moving-clock.js'
import { recordedLog, type RecordedLog } from '../support/recorded-log.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'

describe('relay', () => {
  let test: TestStore
  let relay: Relay
  let log: RecordedLog
  let given: QueuedJob[]
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => {
    await test.store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
    given = []
    log = recordedLog()
  })
  afterEach(() => relay.stop())

  /** Adds a row to a queue that knows of no job, and looks it up there; `meanwhile` runs before the queue's answer. */
  async function loseBatch(meanwhile: () => Promise<unknown>): Promise<void> {
    const clock = createMovingClock()
    const context = jobContext(testWorkerContext(test, { clock, logger: log as unknown as Logger }))
    let isLookedUp = false
    const queue = {
      add: (jobs: readonly QueuedJob[]) => Promise.resolve(void given.push(...jobs)),
      async missing(ids: readonly string[]) {
        await meanwhile()
        isLookedUp = true
        return [...ids]
      },
    } as unknown as JobQueue
    const jobs = new Map([['indexMemories', JOBS.indexMemories]])
    const options = { jobs, maxBatches: 2, batchSize: 10, leaseMs: 60_000, outage: context.outages.search }
    relay = new Relay(context, queue, options)
    await remember(test.store, `t-${randomUUID()}`, 'one')
    relay.start()
    await until('the relay queues a batch', () => expect(given.length).to.equal(1))
    clock.advance(10_000)
    await until('the name is looked up', () => isLookedUp)
  }

  it('requeues a batch that the queue has lost, and logs so', async () => {
    await loseBatch(() => Promise.resolve())
    await until('the relay queues a second batch', () => expect(given.length).to.equal(2))
    expect(given[1]!.payload.ids).to.deep.equal(given[0]!.payload.ids)
    expect(log.lines.map(({ fields }) => fields)).to.deep.equal([{ batches: 1, rows: 1 }])
  })

  it('logs nothing about a batch that another process ended during the look-up', async () => {
    const settle = () =>
      test.store.asSystem(({ db }) =>
        db.updateTable('index_pending').set({ settled_at: new Date(), lease: null, ticket: null }).execute(),
      )
    await loseBatch(settle)
    await relay.stop()
    expect(log.lines).to.deep.equal([])
    expect(given).to.have.length(1)
  })

  for (const isStopping of [true, false])
    it(`logs ${isStopping ? 'nothing that' : 'what'} fails while it ${isStopping ? 'stops' : 'runs'}`, async () => {
      const [asked, answer] = [gate(), gate()]
      const store = {
        asSystem: async () => {
          asked.open()
          await answer.opened
          throw new UnavailableError('postgres')
        },
      } as unknown as Store
      const context = jobContext({ ...testWorkerContext(test, { logger: log as unknown as Logger }), store })
      const jobs = new Map([['indexMemories', JOBS.indexMemories]])
      const options = { jobs, maxBatches: 2, batchSize: 10, leaseMs: 60_000, outage: context.outages.search }
      relay = new Relay(context, {} as unknown as JobQueue, options)
      relay.start()
      await asked.opened
      const stopped = isStopping ? relay.stop() : null
      answer.open()
      await (stopped ?? until('it has failed', () => expect(log.lines).not.to.deep.equal([])))
      expect(log.lines.map(({ message }) => message)).to.deep.equal(isStopping ? [] : ['relay failed'])
    })
})
