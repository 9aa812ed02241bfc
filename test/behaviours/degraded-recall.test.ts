import { expect } from 'chai'
import { readMarks } from '../../store/indexing/known-marks.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { startEmbeddingsStub, type EmbeddingsStub } from '../support/embeddings-stub.js'
import { type FaultyIndex, makeIndexFaulty } from '../support/faulty-index.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests recall while a dependency is unavailable: it answers from the remaining ones and reports what is degraded. */
describeOnEachProfile((profile) => {
  describe('recall with an engine that fails', () => {
    const service = ownService({ profile })
    let faults: FaultyIndex
    let tenant: TestTenant
    let ana: Caller
    before(() => {
      faults = makeIndexFaulty(service())
    })
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })
    afterEach(() => faults.recover())

    it('answers from the newest rows in Postgres when the engine is unavailable, and reports it', async () => {
      const fox = await ana.memories
        .create({ content: 'The fox lives in the den.', entity_links: [{ name: 'Acme' }] })
        .ok()
      await settled(service())
      faults.vanish()
      const { memories, degraded } = await ana.memories
        .recall('Where does the fox of Acme live?', { explain: true })
        .ok()
      expect(degraded).to.equal('search')
      expect(memories[0]!.id).to.equal(fox.id)
      expect(memories[0]!.explanation).to.deep.include({ legs: ['recent'], matched_entities: ['Acme'] })
      expect(memories[0]!.score_parts!.vec_sim).to.be.greaterThan(0)
      faults.recover()
      expect((await ana.memories.recall('fox').ok()).degraded).to.equal(null)
    })

    it('withholds nothing below a confidence that not everything was searched for', async () => {
      await ana.memories.create('The fox lives in the den.').ok()
      await settled(service())
      const asked = { answer_if: 'high' }
      expect(await ana.memories.recallContents('who feeds the badger?', asked)).to.deep.equal([])
      faults.vanish()
      expect(await ana.memories.recallContents('who feeds the badger?', asked)).not.to.deep.equal([])
    })

    it('applies every filter and the visibility rule without the engine', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      await ben.memories.create('The blue fox.').ok()
      await ana.memories.create({ content: 'The secret fox.', visibility: 'scope_agent' }).ok()
      await ana.memories.create({ content: 'The fox that decides.', memory_type: 'decision', metadata: { a: 1 } }).ok()
      const gone = await ana.memories.create('The fox that goes.').ok()
      await settled(service())
      await ana.memories.delete(gone.id).ok()
      faults.vanish()
      expect(await ana.memories.recallContents('fox')).to.have.members(['The secret fox.', 'The fox that decides.'])
      expect(await ben.memories.recallContents('fox')).to.deep.equal(['The blue fox.'])
      expect(await ana.memories.recallContents('fox', { memory_types: ['decision'] })).to.deep.equal([
        'The fox that decides.',
      ])
      expect(await ana.memories.recallContents('fox', { metadata_filter: { a: 1 } })).to.deep.equal([
        'The fox that decides.',
      ])
      expect(await (await newTenant(service()).caller({ trust: 3 })).memories.recallContents('fox')).to.deep.equal([])
    })

    it('accepts writes without the engine, and finds them at once', async () => {
      faults.vanish()
      await ana.memories.create('The fox came later.').ok()
      expect(await ana.memories.recallContents('fox')).to.deep.equal(['The fox came later.'])
      faults.recover()
      await settled(service())
      expect(await ana.memories.recall('fox').ok()).to.include({ degraded: null, memory_count: 1 })
    })

    it('is whole however much is written and indexed while it waits for the engine', async () => {
      await ana.memories.create('The fox lives in the den.').ok()
      await settled(service())
      const { store, indexBuildId } = service().context
      const markOf = async () => (await store.asSystem((system) => readMarks(system, indexBuildId))).marks[0]
      let written = 0
      const writeUntilMarkMoves = async () => {
        const mark = await markOf()
        await until('the mark has moved', async () => {
          await ana.memories.create(`Heron number ${written++} is at the pond.`).ok()
          await settled(service())
          return expect(await markOf()).to.not.equal(mark)
        })
      }
      faults.delay(async () => {
        await writeUntilMarkMoves()
        await writeUntilMarkMoves()
      })
      const { memories, degraded } = await ana.memories.recall('fox', { top_k: 1 }).ok()
      expect(degraded).to.equal(null)
      expect(memories.map(({ content }) => content)).to.deep.equal(['The fox lives in the den.'])
      expect(written).to.be.greaterThan(3)
    })

    it('answers by the other legs when some fail, and names those in their order', async () => {
      await ana.memories.create({ content: 'The fox lives in the den.', entity_links: [{ name: 'Acme' }] }).ok()
      await settled(service())
      const query = 'the fox of Acme'
      for (const [failed, named] of [
        [['keyword'], 'keyword'],
        [['entity'], 'entity'],
        [['entity', 'keyword'], 'keyword,entity'],
        [['keyword', 'vector'], 'vector,keyword'],
      ] as const) {
        faults.failLegs(...failed)
        const { degraded, memories } = await ana.memories.recall(query).ok()
        expect(degraded).to.equal(named)
        expect(memories).to.have.length(1)
      }
      faults.failLegs('vector', 'keyword', 'entity')
      expect(await ana.memories.recall(query).ok()).to.include({ degraded: 'vector,keyword,entity' })
    })

    it('has metrics for each leg', async () => {
      const measured = async (leg: string, outcome: string) => {
        const line = new RegExp(`cairn_recall_leg_seconds_count\\{leg="${leg}",outcome="${outcome}"\\} (\\d+)`)
        return Number(line.exec(await service().context.metrics.text())?.[1] ?? 0)
      }
      const before = [await measured('vector', 'ok'), await measured('keyword', 'failed')]
      faults.failLegs('keyword')
      await ana.memories.recall('fox').ok()
      expect(await measured('vector', 'ok')).to.equal(before[0]! + 1)
      expect(await measured('keyword', 'failed')).to.equal(before[1]! + 1)
      faults.vanish()
      await ana.memories.recall('fox').ok()
      expect(await measured('vector', 'ok')).to.equal(before[0]! + 1)
      expect(await measured('keyword', 'failed')).to.equal(before[1]! + 2)
    })

    it('lists no leg that had nothing to search for', async () => {
      await ana.memories.create('The fox.').ok()
      await settled(service())
      faults.failLegs('entity')
      expect((await ana.memories.recall('fox').ok()).degraded).to.equal(null)
    })
  })

  describe('recall with more than 500 pending', () => {
    const service = ownService({ profile, queues: [] })

    it('reports pending from the 501st visible row on, and still answers from the newest 500', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      await ana.memories.createMany(
        [...Array(500).keys()].map((i) => ({ content: i === 0 ? 'The oldest fox.' : `Row ${i}.` })),
      )
      // On a slow machine the new texts take more than one recall's time to analyse.
      await until('recall is whole', async () =>
        expect((await ana.memories.recall('fox').ok()).degraded).to.equal(null),
      )
      expect((await ana.memories.recallContents('fox'))[0]).to.equal('The oldest fox.')
      await ana.memories.create('The newest fox.').ok()
      const { memories, degraded } = await ana.memories.recall('fox').ok()
      expect(degraded).to.equal('pending')
      // Not first: the oldest has been recalled by now, which raises its score.
      expect(memories.slice(0, 2).map(({ content }) => content)).to.include('The newest fox.')
      // Rows that the caller may not see or has filtered out do not count.
      expect((await ben.memories.recall('fox').ok()).degraded).to.equal(null)
      expect((await ana.memories.recall('fox', { memory_types: ['task'] }).ok()).degraded).to.equal(null)
    })
  })

  describe('recall with an unavailable embedder', () => {
    let stub: EmbeddingsStub
    before(async () => {
      stub = await startEmbeddingsStub()
    })
    after(() => stub.stop())
    const service = ownService(() => ({
      profile,
      env: {
        EMBEDDINGS_URL: stub.url,
        EMBEDDINGS_MODEL: 'stub',
        EMBEDDINGS_TIMEOUT_MS: '120000',
        EMBEDDINGS_DEADLINE_MS: '1000',
      },
    }))

    it('finds by words only, reports vector, and recovers afterwards', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      await ana.memories.create('The fox lives in the den.').ok()
      await settled(service())
      const whole = await ana.memories.recall('fox dens').ok()
      expect(whole.degraded).to.equal(null)
      expect(whole.memories[0]!.score_parts!.vec_sim).to.be.greaterThan(0)

      await stub.stop()
      await ana.memories.create('Another fox came by.').ok()
      const partial = await ana.memories.recall('which fox?', { explain: true }).ok()
      expect(partial.degraded).to.equal('vector')
      expect(partial.memories.map(({ content }) => content)).to.have.members([
        'The fox lives in the den.',
        'Another fox came by.',
      ])
      for (const { score_parts } of partial.memories) expect(score_parts!.vec_sim).to.equal(0)

      await stub.restart()
      await until('recall is whole', async () =>
        expect((await ana.memories.recall('which fox?').ok()).degraded).to.equal(null),
      )
      // Vectors of memories written meanwhile are computed later.
      await until('every memory has its vector', async () => {
        const { memories } = await ana.memories.recall('which fox?', { explain: true }).ok()
        return memories.every(({ score_parts, explanation }) => {
          return score_parts!.vec_sim > 0 && explanation!.legs.includes('vector')
        })
      })
    })

    it('is reported by a search of documents too, which finds them by words', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      await ana.documents.put('notes', 'den', { text: 'The fox lives in the den.' }).ok()
      await settled(service())
      expect((await ana.documents.search('which fox?')).body.degraded).to.equal(null)
      await stub.stop()
      const partial = (await ana.documents.search('which foxes?')).body
      expect(partial).to.deep.include({ count: 1, degraded: 'vector' })
      expect(partial.results[0]!.score_parts.vec_sim).to.equal(0)
      await stub.restart()
      await until('search is whole', async () =>
        expect((await ana.documents.search('which foxes?')).body.degraded).to.equal(null),
      )
    })

    it('does not wait for an embedder that hangs', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      await ana.memories.create('The fox hides in the den.').ok()
      await settled(service())
      stub.fail('hang')
      const { memories, degraded } = await ana.memories.recall('where does the fox hide?').ok()
      expect(degraded).to.equal('vector')
      expect(memories.map(({ content }) => content)).to.deep.equal(['The fox hides in the den.'])
      stub.recover()
      expect((await ana.memories.recall('where does the fox hide?').ok()).degraded).to.equal(null)
    })

    it('lists degraded parts in the order of the contract', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      const faults = makeIndexFaulty(service())
      await ana.memories.create({ content: 'The fox of Acme.', entity_links: [{ name: 'Acme' }] }).ok()
      await stub.stop()
      faults.failLegs('entity', 'keyword')
      expect((await ana.memories.recall('what of the fox at Acme?').ok()).degraded).to.equal('vector,keyword,entity')
      faults.vanish()
      expect((await ana.memories.recall('what of the fox at Acme?').ok()).degraded).to.equal('search')
      faults.recover()
      await stub.restart()
    })
  })
})

describeOnEmbedded(() => {
  describe('with a search engine that was never reachable', () => {
    // Nothing listens on port 9 of loopback.
    const service = ownService({ env: { OPENSEARCH_URL: 'http://127.0.0.1:9' } })

    it('accepts writes, deletes and recalls, and reports search as degraded', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      const [kept, gone] = [
        await ana.memories.create('The fox stays.').ok(),
        await ana.memories.create('The fox goes.').ok(),
      ]
      await ana.memories.delete(gone.id).ok()
      const { memories, degraded } = await ana.memories.recall('fox').ok()
      expect(memories.map(({ id }) => id)).to.deep.equal([kept.id])
      expect(degraded).to.equal('search')
      const { body } = await service().client().probes.health()
      expect(body.dependencies.search).to.equal('unavailable')
      const indexing = await service().client().indexing.get()
      expect(indexing.body).to.deep.include({ failed: 0 })
      expect(indexing.body.pending).to.be.greaterThan(0)
    })
  })
})
