import { expect } from 'chai'
import { sql } from 'kysely'
import type { components } from '../../contract/types.js'
import { analyse } from '../../domain/text/analysis.js'
import type { SearchIndex } from '../../search/search-index.js'
import { enqueue } from '../../store/outbox/outbox.js'
import { faultsOf } from '../support/answers.js'
import type { Caller, Client } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { newTenant } from '../support/tenants.js'
import { startEmbeddingsStub, type EmbeddingsStub } from '../support/embeddings-stub.js'
import { startService, type TestService } from '../support/service.js'
import { gate, until } from '../support/states.js'
import { expectNothingLost, expectRecallable, StubbornWriters } from '../support/stubborn-writers.js'

type Build = components['schemas']['IndexBuild']

const NOBODY = '00000000-0000-7000-8000-000000000000'
/** The models of the embeddings endpoint, and the one that serves at first. */
const [FIRST, SECOND] = ['alpha', 'beta']

/** Tests rebuilding and re-embedding by the admin routes while the service is in use. */
describeOnEachProfile((profile) => {
  describe('index builds', function () {
    this.timeout(240_000)
    let stub: EmbeddingsStub
    let service: TestService
    let admin: Client
    /** Embeddings requests for the second model wait for this promise. */
    let hold: () => Promise<void> | void = () => undefined

    before(async () => {
      stub = await startEmbeddingsStub({
        models: [FIRST, SECOND],
        before: ({ model }) => (model === SECOND ? hold() : undefined),
      })
      service = await startService({ profile, env: { EMBEDDINGS_URL: stub.url, EMBEDDINGS_MODEL: FIRST } })
      admin = service.client()
    })
    after(async () => {
      hold = () => undefined
      await service?.stop()
      await stub?.stop()
    })

    const begin = async (body: object = {}): Promise<Build> => {
      const answer = await admin.indexBuilds.create(body)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      return answer.body
    }
    const read = async ({ build_id }: Build): Promise<Build> => (await admin.indexBuilds.get(build_id)).body
    const switchTo = ({ build_id }: Build) => admin.indexBuilds.switch(build_id)
    const drop = ({ build_id }: Build) => admin.indexBuilds.delete(build_id)
    const builds = async () => (await admin.indexBuilds.list()).body.items
    const only = async (state: Build['state']) => (await builds()).find((build) => build.state === state)!
    async function reached(build: Build, ...states: Build['state'][]): Promise<Build> {
      let now = build
      const look = async () => {
        now = await read(build)
        if (now.state === 'failed' && !states.includes('failed')) throw new Error(`failed: ${now.error}`)
        return expect(now.state).to.be.oneOf(states)
      }
      await until(`the build is ${states.join(' or ')}`, look, { within: 60_000 })
      return now
    }
    /** Returns the ids of a tenant's memories that an index finds by one word. */
    async function held(index: SearchIndex, tenantId: string, word: string): Promise<string[]> {
      const { legs } = await index.for(tenantId).search({
        filter: {
          audience: { kind: 'shared', agentId: null, fleets: 'all' },
          now: Date.now(),
          statuses: ['active'],
        },
        size: 4_000,
        keyword: { terms: analyse(word, 'en') },
      })
      return legs.keyword!.map(({ id }) => id).sort()
    }
    /** Changes a text as the service does: row and dirty set in one transaction. */
    const rewrite = (tenantId: string, id: string, content: string) =>
      service.context.store.transact({ tenantId }, async (writer) => {
        await sql`update memories set content = ${content}, text_hash = sha256(${content}::bytea), content_hash = sha256(${content}::bytea),
          version = version + 1 where tenant_id = ${tenantId} and id = ${id}`.execute(writer.db)
        await enqueue(writer, 'memory', [id])
      })

    it('list the serving index at first', async () => {
      const [first, ...others] = await builds()
      expect(others).to.deep.equal([])
      expect(first).to.include({ state: 'serving', model: `openai:${FIRST}`, dimensions: 64, progress: null })
    })

    describe('under concurrent writes, changes and deletions', () => {
      let caller: Caller
      let writers: StubbornWriters
      const rewritten = new Map<string, string>()

      before(async () => {
        caller = await newTenant(service).caller({ agentId: 'scribe', fleetId: 'pier', trust: 2 })
        const old = Array.from({ length: 600 }, (_, i) => ({ content: `Entry o${i} of the harbour log.` }))
        for (let i = 0; i < old.length; i += 300) await caller.memories.createMany(old.slice(i, i + 300))
        writers = new StubbornWriters(() => caller)
        for (const { id, content } of await caller.memories.listAll()) writers.kept.set(id, content)
      })

      after(() => writers.stop())

      async function expectIndexed(): Promise<void> {
        const { index } = service.context
        expect(await held(index, caller.tenantId, 'harbour')).to.deep.equal([...writers.kept.keys()].sort())
        for (const [id, word] of rewritten) expect(await held(index, caller.tenantId, word)).to.deep.equal([id])
        expect(await index.for(caller.tenantId).count()).to.equal(writers.kept.size)
      }

      for (const what of ['a rebuild', 'another model']) {
        it(`lose nothing in either index by ${what}`, async () => {
          const before = await only('serving')
          writers.start()
          await writers.answers(20)
          const build = await begin(
            what === 'a rebuild' ? { auto_switch: false } : { model: SECOND, auto_switch: false },
          )
          const victims = [...writers.kept.keys()].filter((id) => !rewritten.has(id)).slice(-40)
          let next = 0
          const rewriteNext = async () => {
            const id = victims[next++ % victims.length]!
            const word = `zq${next}v${build.build_id.slice(-4)}`
            if (!writers.kept.has(id)) return
            const content = `Corrected ${word} in the harbour log.`
            await rewrite(caller.tenantId, id, content)
            if (writers.kept.has(id)) writers.kept.set(id, content)
            rewritten.set(id, word)
          }
          const isFilled = async () => {
            const { state } = await read(build)
            if (!['ready', 'serving'].includes(state)) await rewriteNext()
            return expect(state).to.be.oneOf(['ready', 'serving'])
          }
          await until('the build is ready', isFilled, { within: 100_000, every: 25 })
          await writers.answers(20)
          expect((await switchTo(build)).status).to.equal(200)
          await writers.answers(20)
          await writers.stop()
          for (const id of rewritten.keys()) if (!writers.kept.has(id)) rewritten.delete(id)
          await settled(service)
          expect(next).to.be.greaterThan(0)

          expect(await only('serving')).to.include({ build_id: build.build_id })
          await expectIndexed()
          await expectNothingLost(caller, writers)
          expect((await switchTo(before)).status).to.equal(200)
          expect(await only('kept')).to.include({ build_id: build.build_id })
          await expectIndexed()
          expect((await switchTo(build)).status).to.equal(200)
          const { progress } = await read(build)
          // The progress is that of the end of its backfill, whatever was written since.
          expect(progress!.tenants_done).to.equal(progress!.tenants)
          expect(progress!.memories_done).to.equal(progress!.memories)
          writers = writersOf(caller, writers)
        })
      }

      it('recalls each of them afterwards, and no deleted ones', () => expectRecallable(caller, sample(writers)))
    })

    it('answer from the old index until the switch, and never mix the vectors of two models', async () => {
      const caller = await newTenant(service).caller({ agentId: 'asker' })
      const contents = Array.from({ length: 300 }, (_, i) => `Berth b${i} is kept by keeper k${i}.`)
      await caller.memories.createMany(contents.map((content) => ({ content })))
      await settled(service, caller.tenantId)
      const before = await only('serving')
      const model = before.model === `openai:${SECOND}` ? FIRST : SECOND
      const asking = new AbortController()
      let asked = 0
      const askers = [0, 1].map(async (asker) => {
        for (let i = asker; !asking.signal.aborted; i += 7) {
          const content = contents[i % contents.length]!
          const { memories, degraded } = await caller.memories.recall(content, { top_k: 1, explain: true }).ok()
          asked++
          expect(degraded).to.equal(null)
          expect(memories[0]!.content).to.equal(content)
          // The similarity of a text to itself is one with one model, and about zero with two.
          expect(memories[0]!.score_parts!.vec_sim).to.be.greaterThan(0.99)
          expect((memories[0]!.explanation as { legs: string[] }).legs).to.include('vector')
        }
      })
      const failed = Promise.all(askers)
      failed.catch(() => undefined)
      const more = async () => {
        const goal = asked + 30
        await Promise.race([until('the model is asked often enough', () => expect(asked).to.be.at.least(goal)), failed])
      }
      await more()
      const build = await begin({ model })
      await more()
      await reached(build, 'serving')
      await until('the model serves', () => expect(service.context.embedder.id).to.equal(`openai:${model}`))
      for (const one of [before, build, before, build]) {
        await more()
        const { state } = await read(one)
        if (state !== 'serving') expect((await switchTo(one)).status).to.equal(200)
      }
      await more()
      asking.abort()
      await failed
      expect((await admin.indexing.get()).body.embedder).to.include({ id: `openai:${model}` })
    })

    it('show the progress of each tenant, while recall uses the old index', async () => {
      const tenants = await Promise.all(['m', 'n', 'p'].map(() => newTenant(service).caller({ agentId: 'a' })))
      for (const one of tenants) await one.memories.create('Something to embed.').ok()
      await settled(service)
      const serving = await only('serving')
      if (serving.model !== `openai:${FIRST}`) await reached(await begin({ model: FIRST }), 'serving')
      // A recall that used the second model would be blocked like the backfill.
      await until('the model serves', () => expect(service.context.embedder.id).to.equal(`openai:${FIRST}`))
      await dropKept()
      const held = gate()
      hold = () => held.opened
      const build = await begin({ model: SECOND })
      await until('the build is in backfill', async () => expect((await read(build)).state).to.equal('backfilling'))
      const rows = async (query = {}) => (await admin.indexBuilds.tenants(build.build_id, query)).body
      const page = await rows({ limit: 2 })
      expect(page.items).to.have.length(2)
      expect(page.next_cursor).to.be.a('string')
      const [of] = (await rows({ tenant_id: tenants[0]!.tenantId })).items
      expect(of).to.include({ tenant_id: tenants[0]!.tenantId, memories: 1 })
      expect(of!.state).to.be.oneOf(['waiting', 'backfilling'])
      expect((await read(build)).progress!.tenants_done).to.be.lessThan((await read(build)).progress!.tenants)
      expect(await tenants[0]!.memories.recallContents('something')).to.deep.equal(['Something to embed.'])

      held.open()
      hold = () => undefined
      const done = await reached(build, 'serving')
      expect(done.progress!.tenants_done).to.equal(done.progress!.tenants)
      expect((await rows({ tenant_id: tenants[0]!.tenantId })).items).to.deep.equal([
        {
          tenant_id: tenants[0]!.tenantId,
          state: 'done',
          memories: 1,
          memories_done: 1,
          documents: 0,
          documents_done: 0,
        },
      ])
      expect((await admin.indexBuilds.tenants(build.build_id, { cursor: `${page.next_cursor}x` })).status).to.equal(400)
    })

    it('include documents, also those written meanwhile', async () => {
      const caller = await newTenant(service).caller({ agentId: 'scribe' })
      const search = async (query: string) => {
        const answer = await caller.documents.search(query)
        return (answer.body as components['schemas']['DocumentSearchAnswer']).results.map(({ doc_id }) => doc_id)
      }
      for (const name of ['quay', 'crane', 'lock'])
        await caller.documents.put('notes', name, { text: `All about the ${name}.` }).ok()
      await settled(service)
      const serving = await only('serving')
      await dropKept()
      const build = await begin({ auto_switch: false })
      const { progress } = await reached(build, 'ready')
      expect(progress!.documents_done).to.equal(progress!.documents).and.to.be.at.least(3)
      await caller.documents.put('notes', 'buoy', { text: 'All about the buoy.' }).ok()
      await settled(service)
      expect((await switchTo(build)).status).to.equal(200)
      await until('another build serves', async () =>
        expect((await only('serving')).build_id).to.not.equal(serving.build_id),
      )
      const { index } = service.context
      await until('every document is in the new index', async () =>
        expect(await index.for(caller.tenantId, 'documents').count()).to.equal(4),
      )
      for (const name of ['quay', 'buoy']) expect((await search(name))[0]).to.equal(name)
    })

    it('run one at a time, switch when they are ready, and cannot be dropped while they serve', async () => {
      const held = gate()
      hold = () => held.opened
      const serving = await only('serving')
      const other = serving.model === `openai:${FIRST}` ? SECOND : FIRST
      if (other === FIRST) await reached(await begin({ model: FIRST }), 'serving')
      const build = await begin({ model: SECOND })
      const now = await only('serving')
      const second = await admin.indexBuilds.create({})
      expect(second.status).to.equal(409)
      expect(second.body.error.details).to.deep.equal({ existing_id: build.build_id })
      expect((await switchTo(build)).status).to.equal(409)
      expect((await switchTo(now)).status).to.equal(409)
      expect((await drop(now)).status).to.equal(409)
      expect((await drop(build)).status).to.equal(204)
      expect((await drop(build)).status).to.equal(204)
      held.open()
      hold = () => undefined
      expect((await reached(build, 'dropped')).progress).to.equal(null)
      expect((await switchTo(build)).status).to.equal(409)
      expect(await only('serving')).to.include({ build_id: now.build_id })
    })

    it('answer 404 for an unknown id, and 422 for a malformed one', async () => {
      const params = { build_id: NOBODY }
      for (const operation of [
        'getIndexBuild',
        'deleteIndexBuild',
        'switchIndexBuild',
        'listIndexBuildTenants',
      ] as const) {
        expect((await admin.call(operation, { params })).status, operation).to.equal(404)
        expect((await admin.call(operation, { params: { build_id: 'x' } })).status, operation).to.equal(422)
      }
      expect(faultsOf(await admin.indexBuilds.create({ modell: 'x' }))).to.deep.equal(['body.modell'])
      expect((await admin.indexBuilds.list({ cursor: 'x' })).status).to.equal(400)
    })

    it('accept available models only', async () => {
      const before = await builds()
      for (const model of ['gamma', 'openai:gamma', 'local:nowhere', 'builtin:de'])
        expect(faultsOf(await admin.indexBuilds.create({ model }))).to.deep.equal(['body.model'])
      await stub.stop()
      expect((await admin.indexBuilds.create({ model: 'delta' })).status).to.equal(503)
      await stub.restart()
      expect(await builds()).to.deep.equal(before)
      const build = await begin({ model: 'built-in', auto_switch: false })
      expect(build).to.include({ model: 'static-multi-480', dimensions: 480 })
      expect((await drop(await reached(build, 'ready'))).status).to.equal(204)
    })

    it('allow only the admin credential', async () => {
      const key = await service.mintKey({ tenantId: 'own', agentId: 'chief', trust: 3 })
      const params = { build_id: (await only('serving')).build_id }
      for (const [client, status] of [
        [service.client(key), 403],
        [service.client(null), 401],
      ] as const) {
        expect((await client.indexBuilds.create({})).status).to.equal(status)
        expect((await client.indexBuilds.list()).status).to.equal(status)
        for (const operation of [
          'getIndexBuild',
          'deleteIndexBuild',
          'switchIndexBuild',
          'listIndexBuildTenants',
        ] as const)
          expect((await client.call(operation, { params })).status).to.equal(status)
      }
    })

    async function dropKept(): Promise<void> {
      const kept = await only('kept')
      if (kept) expect((await drop(kept)).status).to.equal(204)
    }
  })
})

/** Returns new writers that know what the earlier ones wrote. */
function writersOf(caller: Caller, before: StubbornWriters): StubbornWriters {
  const writers = new StubbornWriters(() => caller)
  for (const [id, content] of before.kept) writers.kept.set(id, content)
  for (const [id, content] of before.deleted) writers.deleted.set(id, content)
  return writers
}

/** Returns every fifteenth memory, because each recall takes its time. */
function sample({ kept, deleted }: StubbornWriters): StubbornWriters {
  const some = (all: Map<string, string>) => new Map([...all].filter((_, i) => i % 15 === 0))
  return { kept: some(kept), deleted: some(deleted) } as StubbornWriters
}
