import { expect } from 'chai'
import { newTenant, settled, type Caller } from '../support/caller.js'
import { createClient } from '../support/client.js'
import { startEmbeddingsStub, type EmbeddingsStub } from '../support/embeddings-stub.js'
import { expireLeases } from '../support/leases.js'
import { startService, type Profile, type TestService } from '../support/service.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { until } from '../support/states.js'
import { expectNothingLost, expectRecallable, StubbornWriters } from '../support/stubborn-writers.js'

/** Tests a running service while PostgreSQL is unreachable, and after it is back. */
export function describePostgresOutage(profile: Profile): void {
  describe('with PostgreSQL unreachable', () => {
    let way: SeverableUrl
    let service: TestService
    let caller: Caller
    let id: string
    before(async () => {
      service = await startService({
        profile,
        reroute: async (env) => {
          way = await startSeverableProxy(env.DATABASE_URL!)
          return { DATABASE_URL: way.url }
        },
      })
      caller = await newTenant(service).caller({ agentId: 'ana', trust: 2 })
      id = (await caller.remember('The lighthouse was painted in May.')).id
      await settled(service)
      await way.cut()
    })
    after(async () => {
      await service?.stop()
      await way?.cut()
    })

    it('answers every operation 503 UNAVAILABLE with Retry-After', async () => {
      const answers = await Promise.all([
        caller.write('Not now.'),
        caller.writeMany([{ content: 'Nor these.' }]),
        caller.tryRecall('lighthouse'),
        caller.get(id),
        caller.list(),
        caller.delete(id),
        caller.stats(),
        caller.entities(),
      ])
      for (const { status, headers, body } of answers) {
        expect([status, body.error.code]).to.deep.equal([503, 'UNAVAILABLE'])
        expect(headers.get('Retry-After')).to.match(/^\d+$/)
      }
    })

    it('is not ready, and its health is degraded', async () => {
      const anyone = createClient(service.url)
      await until(async () => (await anyone.call('getHealth')).body.status === 'degraded')
      const { status, body } = await anyone.call('getHealth')
      expect([status, body.dependencies.postgres, body.dependencies.embedder]).to.deep.equal([200, 'unavailable', 'ok'])
      expect((await anyone.call('getReady')).status).to.equal(503)
    })

    it('works again once it is back, with all stored memories and without the refused ones', async () => {
      await way.restore()
      await until(async () => (await createClient(service.url).call('getReady')).status === 200)
      expect((await caller.get(id)).status).to.equal(200)
      await caller.remember('The lighthouse was painted again in June.')
      await settled(service)
      expect(await caller.recalled('lighthouse')).to.have.members([
        'The lighthouse was painted in May.',
        'The lighthouse was painted again in June.',
      ])
      expect(await caller.total()).to.equal(2)
    })

    it('loses no acknowledged write during repeated outages', async () => {
      const log = await newTenant(service).caller({ agentId: 'ana', trust: 2 })
      const writers = new StubbornWriters(() => log)
      writers.start()
      for (const time of [1, 2, 3]) {
        await writers.answers(10 * time)
        const before = writers.repeated
        await way.cut()
        await until(() => writers.repeated >= before + 5)
        await way.restore()
      }
      await writers.answers(10)
      await writers.stop()
      await expectNothingLost(log, writers)
      // Ends the leases of job claims whose answer was lost.
      await expireLeases(service.databaseUrl)
      await settled(service)
      await expectRecallable(log, writers)
    })
  })
}

/** Tests a remote embedder that becomes unavailable and returns. */
export function describeEmbedderOutage(profile: Profile): void {
  describe('with an unavailable embedder', () => {
    let stub: EmbeddingsStub
    let service: TestService
    let caller: Caller
    // Only stop words: there is no keyword leg, so only vectors can find it.
    const STOP_WORDS = 'who is over there with them'
    const vectorLegOf = async (query: string) => {
      const { memories, degraded } = await caller.recall(query, { explain: true })
      return {
        degraded,
        found: memories.filter(({ explanation }) => explanation!.legs.includes('vector')).map(({ content }) => content),
      }
    }

    before(async () => {
      stub = await startEmbeddingsStub()
      service = await startService({
        profile,
        env: { EMBEDDINGS_URL: stub.url, EMBEDDINGS_MODEL: 'stub', EMBEDDINGS_DIMENSIONS: '64' },
      })
      caller = await newTenant(service).caller({ agentId: 'ana' })
      await caller.remember('The tide table hangs in the hall.')
      await settled(service)
    })
    after(async () => {
      await service?.stop()
      await stub.stop()
    })

    it('finds by vectors while it is available', async () => {
      await until(async () => (await vectorLegOf('tide table')).found.length === 1)
      expect((await vectorLegOf('tide table')).degraded).to.equal(null)
    })

    it('accepts and indexes writes, and recalls by words', async () => {
      await stub.stop()
      for (const content of ['The anchor is rusty.', STOP_WORDS, 'The rope was replaced.'])
        await caller.remember(content)
      await settled(service)
      const { memories, degraded } = await caller.recall('rusty anchor')
      expect([memories[0]!.content, degraded]).to.deep.equal(['The anchor is rusty.', 'vector'])
      await until(async () => (await createClient(service.url).call('getHealth')).body.dependencies.embedder !== 'ok')
      expect((await createClient(service.url).call('getReady')).status).to.equal(200)
    })

    it('computes all vectors once it is back, and marks no row as failed', async () => {
      await stub.restart()
      await until(async () => (await createClient(service.url).call('getHealth')).body.dependencies.embedder === 'ok')
      for (const content of ['The anchor is rusty.', STOP_WORDS, 'The rope was replaced.'])
        await until(async () => (await vectorLegOf(content)).found.includes(content))
      expect((await vectorLegOf(STOP_WORDS)).degraded).to.equal(null)
      expect((await service.client().call('getIndexing')).body).to.include({ pending: 0, parked: 0 })
    })
  })
}
