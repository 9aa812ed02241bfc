import { expect } from 'chai'
import { Redis } from 'ioredis'
import { type Caller, createClient } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant } from '../support/tenants.js'
import { startService, type TestService } from '../support/service.js'
import { scaled } from '../support/services.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { until } from '../support/states.js'

describe('the scaled profile', function () {
  this.timeout(240_000)
  scaled(['postgres', 'redis', 'opensearch'], ({ redis }) => {
    describe('with a connection to each engine that can be cut', () => {
      let engine: SeverableUrl
      let queue: SeverableUrl
      let prefix: string
      let service: TestService
      let caller: Caller
      before(async () => {
        service = await startService({
          profile: 'scaled',
          reroute: async (env) => {
            ;[engine, queue] = await Promise.all([
              startSeverableProxy(env.OPENSEARCH_URL!),
              startSeverableProxy(env.REDIS_URL!),
            ])
            prefix = env.QUEUE_PREFIX!
            return { OPENSEARCH_URL: engine.url, REDIS_URL: queue.url }
          },
        })
      })
      after(async () => {
        await service?.stop()
        await Promise.all([engine?.cut(), queue?.cut()])
      })
      beforeEach(async () => {
        caller = await newTenant(service).caller({ agentId: 'ana', trust: 2 })
        await caller.memories.create('The harbour was dredged in spring.').ok()
        await settled(service)
      })
      const indexing = async () => (await service.client().indexing.get()).body
      const health = async () => (await createClient(service.url).probes.health()).body

      it('accepts writes without OpenSearch, recalls the newest rows, and catches up when it is back', async () => {
        const { index } = await indexing()
        await engine.cut()
        for (let i = 0; i < 20; i++) await caller.memories.create(`Crane c${i} was oiled.`).ok()
        const { memories, degraded } = await caller.memories.recall('crane c7', { top_k: 1 }).ok()
        expect([degraded, memories[0]!.content]).to.deep.equal(['search', 'Crane c7 was oiled.'])
        expect((await caller.memories.recall('dredged').ok()).memories[0]!.content).to.equal(
          'The harbour was dredged in spring.',
        )
        expect((await caller.memories.recall('no such words').ok()).degraded).to.equal('search')
        expect(await indexing()).to.deep.include({ pending: 20, failed: 0 })
        await until('health shows search as unavailable', async () =>
          expect((await health()).dependencies.search).to.equal('unavailable'),
        )
        expect((await createClient(service.url).probes.ready()).status).to.equal(200)

        await engine.restore()
        await settled(service)
        await until('recall is whole', async () =>
          expect((await caller.memories.recall('crane').ok()).degraded).to.equal(null),
        )
        expect(await caller.memories.recallContents('crane c7', { top_k: 1 })).to.deep.equal(['Crane c7 was oiled.'])
        expect((await indexing()).index.documents).to.equal(index.documents! + 20)
      })

      it('deletes without OpenSearch, and deleted memories do not return with it', async () => {
        const sold = 'The winch is to be sold.'
        const { id } = await caller.memories.create(sold).ok()
        await settled(service)
        await engine.cut()
        await caller.memories.delete(id).ok()
        expect(await caller.memories.recallContents('winch')).not.to.include(sold)
        await engine.restore()
        await until('recall is whole', async () =>
          expect((await caller.memories.recall('winch').ok()).degraded).to.equal(null),
        )
        expect(await caller.memories.recallContents('winch')).not.to.include(sold)
        await settled(service)
        expect(await caller.memories.recallContents('winch')).not.to.include(sold)
      })

      it('writes and recalls without Redis, and indexes the writes when it is back', async () => {
        await queue.cut()
        for (let i = 0; i < 20; i++) await caller.memories.create(`Net n${i} was mended.`).ok()
        const { memories, degraded } = await caller.memories.recall('net n3', { top_k: 1 }).ok()
        expect([degraded, memories[0]!.content]).to.deep.equal([null, 'Net n3 was mended.'])
        expect(await indexing()).to.include({ pending: 20, failed: 0 })
        await until('health shows queue as unavailable', async () =>
          expect((await health()).dependencies.queue).to.equal('unavailable'),
        )
        expect((await createClient(service.url).probes.ready()).status).to.equal(200)

        await queue.restore()
        await settled(service)
        expect(await caller.memories.recallContents('net n3', { top_k: 1 })).to.deep.equal(['Net n3 was mended.'])
      })

      it('indexes everything although Redis loses its jobs', async () => {
        const client = new Redis(redis)
        try {
          let lost = 0
          const contents = Array.from({ length: 1_500 }, (_, i) => `Crate k${i} stands on the quay.`)
          for (let i = 0; i < contents.length; i += 500) {
            await caller.memories.createMany(contents.slice(i, i + 500).map((content) => ({ content })))
            lost += await forgetQueue(client, prefix)
          }
          while (lost === 0 && (await indexing()).pending > 0) lost += await forgetQueue(client, prefix)
          expect(lost).to.be.greaterThan(0)
        } finally {
          client.disconnect()
        }
        await settled(service)
        expect(await caller.memories.recallContents('crate k321', { top_k: 1 })).to.deep.equal([
          'Crate k321 stands on the quay.',
        ])
      })
    })
  })
})

/** Deletes one queue, like a restart of Redis without persistence. Returns how many keys were deleted. */
async function forgetQueue(client: Redis, prefix: string): Promise<number> {
  const keys = await client.keys(`${prefix}:*`)
  return keys.length === 0 ? 0 : client.del(...keys)
}
