import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freshDatabase } from '../support/postgres.js'
import { settled } from '../support/indexed.js'
import { prepareEnvironment, startService, type TestService } from '../support/service.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

const TENANT = 'harbour'

/** Runs one of PostgreSQL's client programs; throws with its stderr when it fails. */
const run = promisify(execFile)

/** Returns what the tenant's callers read, from PostgreSQL. */
async function stateOf(service: TestService, key: string) {
  const caller = service.client(key).of(TENANT)
  const [memories, rules, document] = [
    await caller.memories.listAll(),
    await caller.keystones.list().ok(),
    await caller.documents.get('notes', 'tides').ok(),
  ]
  return { memories, rules, document, total: await caller.memories.total() }
}

scaled(['postgres', 'redis', 'opensearch'], () => {
  describe('a backup', function () {
    this.timeout(180_000)

    it('restores what was there when it was made, and the index follows, whatever was written since', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'cairn-backup-'))
      const [environment, restored] = [await prepareEnvironment('scaled'), await freshDatabase()]
      let service: TestService | undefined
      try {
        service = await startService({ profile: 'scaled', environment })
        const key = await service.mintKey({ tenantId: TENANT, agentId: 'ana', trust: 3 })
        const before = service.client(key).of(TENANT)
        await before.memories.create('The crane on the north quay lifts forty tons.').ok()
        await before.keystones.set({ doc_id: 'helmets', title: 'Wear a helmet' }).ok()
        await before.documents.put('notes', 'tides', { high: '06:40' }).ok()
        await settled(service, TENANT)
        const state = await stateOf(service, key)

        const file = join(folder, 'cairn.dump')
        await run('pg_dump', ['--format=custom', '--file', file, environment.env.DATABASE_URL!])
        const later = await before.memories.create('The crane on the south quay is being painted.').ok()
        const laterKey = await service.mintKey({ tenantId: TENANT, agentId: 'ben' })
        await settled(service, TENANT)
        expect(await before.memories.recallContents('crane')).to.have.length(2)
        await service.stop()

        await run('pg_restore', ['--exit-on-error', '--dbname', restored.url, file])
        const env = { ...environment.env, DATABASE_URL: restored.url }
        service = await startService({ profile: 'scaled', environment: { ...environment, env } })
        expect(await stateOf(service, key)).to.deep.equal(state)
        const after = service.client(key).of(TENANT)
        await until(
          'the index is that of the restored rows',
          async () => {
            const { degraded, memories } = (await after.memories.recall('crane')).body
            expect(memories.map(({ content }) => content)).to.deep.equal(state.memories.map(({ content }) => content))
            return degraded === null
          },
          { within: 60_000 },
        )
        const { index } = await service.client().indexing.get().ok()
        expect(index.documents).to.equal(1)
        expect((await after.memories.get(later.id)).status).to.equal(404)
        expect((await service.client(laterKey).of(TENANT).memories.recall('crane')).status).to.equal(401)
      } finally {
        await service?.stop()
        await restored.drop()
        await environment.remove()
        await rm(folder, { recursive: true, force: true })
      }
    })
  })
})
