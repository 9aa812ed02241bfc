import { expect } from 'chai'
import { startHoldingProxy, type HeldAnswers } from '../support/held-answers.js'
import { indexed } from '../support/indexed.js'
import { expireLeases } from '../support/leases.js'
import type { CairnProcess } from '../support/processes.js'
import { createTestCluster, type ApiProcess, type TestCluster } from '../support/scaled-processes.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'
import { expectNothingLost, expectRecallable, StubbornWriters } from '../support/stubborn-writers.js'

describe('api and worker processes killed', function () {
  this.timeout(300_000)
  scaled(['postgres', 'redis', 'opensearch'], ({ opensearch }) => {
    let cluster: TestCluster
    let way: HeldAnswers
    let api: ApiProcess
    let doomed: CairnProcess

    before(async () => {
      way = await startHoldingProxy(opensearch)
      cluster = await createTestCluster()
      ;[api, doomed] = await Promise.all([
        cluster.api(),
        cluster.worker({ OPENSEARCH_URL: way.url, INDEXING_CONCURRENCY: '4' }),
        cluster.worker(),
      ])
    })
    after(async () => {
      await cluster?.remove()
      await way.close()
    })

    it('leave their work to another worker, including what is written and not settled', async () => {
      const caller = api.caller('harbour', await api.mint('harbour'))
      way.hold()
      const contents = Array.from({ length: 2_000 }, (_, i) => `Buoy b${i} was seen by the harbour master.`)
      for (let i = 0; i < contents.length; i += 500) {
        const items = contents.slice(i, i + 500).map((content) => ({ content }))
        expect((await caller.memories.createMany(items)).body.created).to.equal(500)
      }
      await until('an answer is held back', () => expect(way.waiting()).to.be.greaterThan(0))
      await doomed.kill('SIGKILL')
      expect((await api.admin.indexing.get()).body.pending).to.be.greaterThan(0)
      // Recall sees the newest 500 of this many pending rows.
      expect(await caller.memories.recallContents('buoy b1999', { top_k: 1 })).to.deep.equal([contents[1999]])

      await expireLeases(cluster.databaseUrl)
      expect(await indexed(api.admin)).to.equal(contents.length)
      for (const i of [0, 777, 1999])
        expect(await caller.memories.recallContents(`buoy b${i}`, { top_k: 1 })).to.deep.equal([contents[i]])
    })

    it('write once what is repeated to the next api process', async () => {
      const { documents } = (await api.admin.indexing.get()).body.index
      const key = await api.mint('log')
      let caller = api.caller('log', key)
      const writers = new StubbornWriters(() => caller)
      writers.start()
      for (const _ of [1, 2]) {
        await writers.answers(20)
        await api.process.kill('SIGKILL')
        api = await cluster.api()
        caller = api.caller('log', key)
      }
      await writers.answers(20)
      await writers.stop()
      expect(writers.repeated).to.be.greaterThan(0)
      await expectNothingLost(caller, writers)
      expect(await indexed(api.admin)).to.equal(documents! + writers.kept.size)
      await expectRecallable(caller, writers)
    })
  })
})
