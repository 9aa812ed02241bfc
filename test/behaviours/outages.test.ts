import { expect } from 'chai'
import { type Caller, createClient } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant } from '../support/tenants.js'
import { startEmbeddingsStub, type EmbeddingsStub } from '../support/embeddings-stub.js'
import { expireLeases } from '../support/leases.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { startService, type Profile, type TestService } from '../support/service.js'
import { startSeverableProxy, type SeverableUrl } from '../support/severable.js'
import { until } from '../support/states.js'
import { expectNothingLost, expectRecallable, StubbornWriters } from '../support/stubborn-writers.js'

describeOnEachProfile(function (profile) {
  this.timeout(240_000)
  describePostgresOutage(profile)
  describeEmbedderOutage(profile)
})

/** Tests a running service while PostgreSQL is unreachable, and after it is back. */
function describePostgresOutage(profile: Profile): void {
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
      id = (await caller.memories.create('The lighthouse was painted in May.').ok()).id
      await settled(service)
      await way.cut()
    })
    after(async () => {
      await service?.stop()
      await way?.cut()
    })

    it('answers every operation 503 UNAVAILABLE with Retry-After', async () => {
      const answers = await Promise.all([
        caller.memories.create('Not now.'),
        caller.memories.createMany([{ content: 'Nor these.' }]),
        caller.memories.recall('lighthouse'),
        caller.memories.get(id),
        caller.memories.list(),
        caller.memories.delete(id),
        caller.memories.stats(),
        caller.entities.list(),
      ])
      for (const { status, headers, body } of answers) {
        expect([status, body.error.code]).to.deep.equal([503, 'UNAVAILABLE'])
        expect(headers.get('Retry-After')).to.match(/^\d+$/)
      }
    })

    it('is not ready, and its health is degraded', async () => {
      const anyone = createClient(service.url)
      await until('health is degraded', async () =>
        expect((await anyone.probes.health()).body.status).to.equal('degraded'),
      )
      const { status, body } = await anyone.probes.health()
      expect([status, body.dependencies.postgres, body.dependencies.embedder]).to.deep.equal([200, 'unavailable', 'ok'])
      expect((await anyone.probes.ready()).status).to.equal(503)
    })

    it('works again once it is back, with all stored memories and without the refused ones', async () => {
      await way.restore()
      await until('the service is ready', async () =>
        expect((await createClient(service.url).probes.ready()).status).to.equal(200),
      )
      expect((await caller.memories.get(id)).status).to.equal(200)
      await caller.memories.create('The lighthouse was painted again in June.').ok()
      await settled(service)
      expect(await caller.memories.recallContents('lighthouse')).to.have.members([
        'The lighthouse was painted in May.',
        'The lighthouse was painted again in June.',
      ])
      expect(await caller.memories.total()).to.equal(2)
    })

    it('loses no acknowledged write during repeated outages', async () => {
      const log = await newTenant(service).caller({ agentId: 'ana', trust: 2 })
      const writers = new StubbornWriters(() => log)
      writers.start()
      for (const time of [1, 2, 3]) {
        await writers.answers(10 * time)
        const before = writers.repeated
        await way.cut()
        await until('five requests were repeated', () => expect(writers.repeated).to.be.at.least(before + 5))
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
function describeEmbedderOutage(profile: Profile): void {
  describe('with an unavailable embedder', () => {
    let stub: EmbeddingsStub
    let service: TestService
    let caller: Caller
    // Only stop words: there is no keyword leg, so only vectors can find it.
    const STOP_WORDS = 'who is over there with them'
    const vectorLegOf = async (query: string) => {
      const { memories, degraded } = await caller.memories.recall(query, { explain: true }).ok()
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
      await caller.memories.create('The tide table hangs in the hall.').ok()
      await settled(service)
    })
    after(async () => {
      await service?.stop()
      await stub.stop()
    })

    it('finds by vectors while it is available', async () => {
      await until('the vector leg finds the table', async () =>
        expect((await vectorLegOf('tide table')).found.length).to.equal(1),
      )
      expect((await vectorLegOf('tide table')).degraded).to.equal(null)
    })

    it('accepts and indexes writes, and recalls by words', async () => {
      await stub.stop()
      for (const content of ['The anchor is rusty.', STOP_WORDS, 'The rope was replaced.'])
        await caller.memories.create(content).ok()
      await settled(service)
      const { memories, degraded } = await caller.memories.recall('rusty anchor').ok()
      expect([memories[0]!.content, degraded]).to.deep.equal(['The anchor is rusty.', 'vector'])
      await until('health shows the outage of the embedder', async () =>
        expect((await createClient(service.url).probes.health()).body.dependencies.embedder).to.not.equal('ok'),
      )
      expect((await createClient(service.url).probes.ready()).status).to.equal(200)
    })

    it('computes all vectors once it is back, and marks no row as failed', async () => {
      await stub.restart()
      await until('health shows embedder as ok', async () =>
        expect((await createClient(service.url).probes.health()).body.dependencies.embedder).to.equal('ok'),
      )
      for (const content of ['The anchor is rusty.', STOP_WORDS, 'The rope was replaced.'])
        await until('the vector leg finds the memory', async () => (await vectorLegOf(content)).found.includes(content))
      expect((await vectorLegOf(STOP_WORDS)).degraded).to.equal(null)
      expect((await service.client().indexing.get()).body).to.include({ pending: 0, failed: 0 })
    })
  })
}
