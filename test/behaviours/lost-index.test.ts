import { expect } from 'chai'
import { settled } from '../support/indexed.js'
import { findServingBuild, Watcher } from '../support/index-faults.js'
import { prepareEnvironment, startService, type TestEnvironment, type TestService } from '../support/service.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { until } from '../support/states.js'
import { INDEX_FAULTS } from './lost-index-faults.js'

const TENANT = 'harbour'
const CRATES = 40

/** Tests that recall reports a lost, emptied, replaced or older index, and that the service recovers without an operator. */
describeOnEachProfile((profile) => {
  describe('a lost index', function () {
    this.timeout(120_000)
    let environment: TestEnvironment
    let service: TestService
    let watcher: Watcher
    let key: string

    before(async () => {
      environment = await prepareEnvironment(profile)
      await start()
      key = await service.mintKey({ tenantId: TENANT, agentId: 'mate', trust: 2 })
      watcher = new Watcher(() => service.client(key).of(TENANT))
      await watcher.begin(CRATES)
      await settled(service)
    })
    afterEach(() => watcher?.stop())
    after(async () => {
      await service?.stop()
      await environment?.remove()
    })

    const start = async () => {
      service = await startService({ profile, environment })
    }
    /** Waits until another index serves, contains every row, and recall is no longer degraded. */
    async function expectWholeAgain(lost: string): Promise<void> {
      await until(
        'another index serves',
        async () => expect((await findServingBuild(service)).build_id).to.not.equal(lost),
        { within: 60_000 },
      )
      await until('recall is whole', async () =>
        expect((await watcher.look(watcher.known[0]!)).degraded).to.equal(null),
      )
      await watcher.stop()
      await settled(service)
      expect(watcher.missesUnreported.splice(0)).to.deep.equal([])
      expect(await watcher.missing()).to.deep.equal([])
      expect(await service.context.index.for(TENANT).count()).to.equal(watcher.known.length)
      expect((await watcher.look(watcher.known[0]!)).degraded).to.equal(null)
    }

    it('is not reported for a new database, whose empty index is complete', async () => {
      expect(await findServingBuild(service)).to.include({ lost_at: null, error: null })
      expect(await watcher.missing()).to.deep.equal([])
      expect(watcher.missesReported).to.equal(0)
    })

    for (const { what, between = false, before: prepareFault, strike } of INDEX_FAULTS[profile])
      it(`that was ${what} is reported by every affected recall, and replaced`, async () => {
        const lost = (await findServingBuild(service)).build_id
        await prepareFault?.(environment)
        watcher.missesReported = 0
        watcher.start()
        await until('the watcher has recalled often', () => expect(watcher.recalls).to.be.greaterThan(20))
        if (between) {
          await watcher.stop()
          await settled(service)
          await service.stop()
          await strike(environment)
          await start()
          watcher.start()
        } else await strike(environment)
        await expectWholeAgain(lost)
        expect(watcher.missesReported).to.be.greaterThan(0)
      })

    it('is removed, together with the build that was dropped for it', async () => {
      const others = async () => {
        const { items } = await service.client().indexBuilds.list().ok()
        return items.map(({ state }) => state).filter((state) => state !== 'serving' && state !== 'dropped')
      }
      await until('the lost builds are dropped', async () => expect(await others()).to.deep.equal([]), {
        within: 60_000,
      })
    })

    it('that still answers is reported by recall and by a search of documents', async () => {
      const { store, indexBuildId } = service.context
      const search = async () => (await service.client(key).of(TENANT).documents.search('the manifest')).body
      await watcher.caller().documents.put('papers', 'manifest', { text: 'The manifest of the crates.' }).ok()
      await settled(service)
      expect(await search()).to.include({ degraded: null, count: 1 })
      await store.asSystem(({ db }) =>
        db.updateTable('index_builds').set({ lost_at: new Date() }).where('id', '=', indexBuildId).execute(),
      )
      const [found, recalled] = await Promise.all([search(), watcher.look(watcher.known[0]!)])
      expect(found).to.include({ degraded: 'search', count: 1 })
      expect(recalled).to.include({ degraded: 'search' })
      await until(
        'another index serves',
        async () => expect((await findServingBuild(service)).build_id).to.not.equal(indexBuildId),
        { within: 60_000 },
      )
      await until('search is whole', async () => expect((await search()).degraded).to.equal(null))
    })

    it('is detected when a database is restored from a backup: rows that the newer index would refuse are found again', async () => {
      const caller = () => watcher.caller()
      const { id } = await caller().memories.create('The pilot comes aboard at dawn.').ok()
      await settled(service)
      await service.stop()
      const copy = `${new URL(environment.env.DATABASE_URL!).pathname.slice(1)}_old`
      await sql(environment, (name) => `create database ${copy} template ${name}`)
      await start()
      await caller().memories.patch(id, { content: 'The surveyor comes aboard at dusk.' }).ok()
      await settled(service)
      const lost = (await findServingBuild(service)).build_id
      await service.stop()
      await sql(environment, (name) => `drop database ${name}`)
      await sql(environment, (name) => `alter database ${copy} rename to ${name}`)
      await start()
      const texts = { first: 'The pilot comes aboard at dawn.', then: 'The cook comes aboard at noon.' }
      watcher.known.push(texts.first)
      expect(await watcher.look(texts.first)).to.include({ degraded: 'search' })
      await caller().memories.patch(id, { content: texts.then }).ok()
      watcher.known.splice(-1, 1, texts.then)
      watcher.start()
      await expectWholeAgain(lost)
      expect((await watcher.look(texts.then)).isFound).to.equal(true)
    })
  })
})

/** Runs a statement while nobody is connected to the service's database. */
async function sql({ env }: TestEnvironment, statement: (name: string) => string): Promise<void> {
  const url = new URL(env.DATABASE_URL!)
  const name = url.pathname.slice(1)
  url.pathname = '/postgres'
  await runSql(url.href, statement(name))
}
