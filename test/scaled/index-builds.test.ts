import { expect } from 'chai'
import { startTwoModels, type TwoModels } from '../support/embeddings-stub.js'
import { indexed } from '../support/indexed.js'
import { expireLeases } from '../support/leases.js'
import { createTestCluster, type ApiProcess, type TestCluster } from '../support/scaled-processes.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'
import { expectNothingLost, expectRecallable, StubbornWriters } from '../support/stubborn-writers.js'

describe('operators of the scaled profile', function () {
  this.timeout(300_000)
  scaled(['postgres', 'redis', 'opensearch'], () => {
    describe('a worker killed while it backfills another index', () => {
      let models: TwoModels
      let cluster: TestCluster
      let apis: ApiProcess[]

      before(async () => {
        models = await startTwoModels()
        cluster = await createTestCluster({
          EMBEDDINGS_URL: models.stub.url,
          EMBEDDINGS_MODEL: 'alpha',
          EMBEDDINGS_TIMEOUT_MS: '120000',
        })
        apis = [await cluster.api(), await cluster.api()]
      })
      after(async () => {
        models?.allow(Infinity)
        await cluster?.remove()
        await models?.stub.stop()
      })

      it('leaves it to another, every process follows the switch, and nothing is lost', async () => {
        const [api, other] = apis as [ApiProcess, ApiProcess]
        const doomed = await cluster.worker()
        const caller = api.caller('harbour', await api.mint('harbour'))
        const contents = Array.from({ length: 1_000 }, (_, i) => `Crate c${i} went into hold h${i % 9}.`)
        const writers = new StubbornWriters(() => caller)
        for (let i = 0; i < contents.length; i += 500)
          await caller.memories.createMany(contents.slice(i, i + 500).map((content) => ({ content })))
        for (const { id, content } of await caller.memories.listAll()) writers.kept.set(id, content)
        await indexed(api.admin)
        models.allow(600)
        const begun = await api.admin.indexBuilds.create({ model: 'beta' })
        expect(begun.status, JSON.stringify(begun.body)).to.equal(201)
        const read = async () => (await other.admin.indexBuilds.get(begun.body.build_id)).body
        await until(
          'the build has begun its backfill',
          async () => expect((await read()).progress!.memories_done).to.be.greaterThan(0),
          { within: 60_000 },
        )
        await doomed.kill('SIGKILL')
        await expireLeases(cluster.databaseUrl)
        const done = (await read()).progress!.memories_done
        expect(done).to.be.within(250, 750)

        await cluster.worker()
        writers.start()
        await writers.answers(30)
        models.allow(Infinity)
        await until('the new model serves', async () => expect((await read()).state).to.equal('serving'), {
          within: 120_000,
        })
        await writers.answers(20)
        await writers.stop()
        for (const { admin } of apis)
          await until('openai:beta serves', async () =>
            expect((await admin.indexing.get()).body.embedder.id).to.equal('openai:beta'),
          )
        expect(await indexed(api.admin)).to.equal(writers.kept.size)
        await expectNothingLost(caller, writers)

        const kept = (await api.admin.indexBuilds.list()).body.items.find(({ state }) => state === 'kept')!
        await api.admin.indexBuilds.switch(kept.build_id)
        for (const { admin } of apis)
          await until('openai:alpha serves', async () =>
            expect((await admin.indexing.get()).body.embedder.id).to.equal('openai:alpha'),
          )
        expect(await indexed(other.admin)).to.equal(writers.kept.size)
        const some = new Map([...writers.kept].filter((_, i) => i % 40 === 0))
        await expectRecallable(caller, { kept: some, deleted: writers.deleted } as unknown as StubbornWriters)
      })
    })
  })
})
