import { expect } from 'chai'
import { Redis } from 'ioredis'
import { randomBytes } from 'node:crypto'
import { readIndexingState } from '../../store/outbox/outbox-upkeep.js'
import { createWorkers, type Workers } from '../../workers/pool.js'
import { remember } from '../support/memories.js'
import { scaled } from '../support/services.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'

describe('worker pools over one Redis', () => {
  scaled('redis', ({ redis }) => {
    let test: TestStore
    let way: SeverableUrl
    let prefix: string
    const started: Workers[] = []

    before(async () => {
      test = await createTestStore()
    })
    after(() => test.stop())
    beforeEach(async () => {
      way = await startSeverableProxy(redis)
      prefix = `p-${randomBytes(4).toString('hex')}`
    })
    afterEach(async () => {
      await Promise.all(started.splice(0).map((workers) => workers.stop(2_000)))
      await way.cut()
    })

    const contextOf = (given: Parameters<typeof testWorkerContext>[1] = {}) =>
      testWorkerContext(test, { queue: { redisUrl: way.url, postgresUrl: test.url, prefix }, ...given })
    function start(context: ReturnType<typeof contextOf>): void {
      const workers = createWorkers(context, { queues: ['indexing'] })
      started.push(workers)
      workers.start()
    }
    const pending = async () => (await test.store.asSystem((system) => readIndexingState(system))).pending
    const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`)

    it('share the work of many tenants and finish it all', async () => {
      const first = contextOf({ indexing: { batchSize: 5 } })
      start(first)
      start(contextOf({ index: first.index, indexing: { batchSize: 5 } }))
      const tenants = ['a', 'b', 'c'].map((name) => `${prefix}-${name}`)
      for (const tenant of tenants) await remember(test.store, tenant, ...texts(50))
      await until('nothing is pending', async () => expect(await pending()).to.equal(0))
      for (const tenant of tenants) expect(first.index.documents(tenant).size).to.equal(50)
    })

    it('lose nothing when Redis comes back empty', async () => {
      const context = contextOf({ indexing: { concurrency: 1, maxBatches: 6, batchSize: 5 } })
      const [writing, release] = [gate(), gate()]
      context.index.before = async () => {
        writing.open()
        await release.opened
      }
      const tenant = `${prefix}-lost`
      await remember(test.store, tenant, ...texts(40))
      start(context)
      await writing.opened
      await way.cut()
      const client = new Redis(redis)
      await client.del(...(await client.keys(`${prefix}:*`)))
      await client.quit()
      release.open()
      await way.restore()
      await until('nothing is pending', async () => expect(await pending()).to.equal(0))
      expect(context.index.documents(tenant).size).to.equal(40)
    })

    it('process writes that came while Redis was unavailable', async () => {
      const context = contextOf()
      start(context)
      const tenant = `${prefix}-away`
      const [before] = await remember(test.store, tenant, 'before')
      await until('the memory is indexed', () => context.index.documents(tenant).has(before!))
      await way.cut()
      const [during] = await remember(test.store, tenant, 'during')
      await way.restore()
      await until('the memory is indexed', () => context.index.documents(tenant).has(during!))
    })
  })
})
