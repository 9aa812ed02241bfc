import { expect } from 'chai'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { shutDownStalePostgres } from '../../runtime/embedded-postgres/stale-postgres.js'
import { type Caller, type Client, createClient } from '../support/client.js'
import { indexed } from '../support/indexed.js'
import { startTwoModels, type TwoModels } from '../support/embeddings-stub.js'
import { spawnCairn, type CairnProcess } from '../support/processes.js'
import { until } from '../support/states.js'

describe('cairn serve killed in the middle of a re-embedding', function () {
  this.timeout(300_000)
  let home: string
  let dataDir: string
  let models: TwoModels
  let service: CairnProcess
  let admin: Client
  let caller: Caller

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'cairn-rebuild-'))
    dataDir = path.join(home, '.cairn')
    models = await startTwoModels()
    await start()
  })
  after(async () => {
    models?.allow(Infinity)
    await service?.kill('SIGTERM')
    await models?.stub.stop()
    await shutDownStalePostgres(path.join(dataDir, 'postgres'))
    await rm(home, { recursive: true, force: true })
  })

  async function start() {
    service = spawnCairn(['serve'], {
      cwd: home,
      env: { EMBEDDINGS_URL: models.stub.url, EMBEDDINGS_MODEL: 'alpha', EMBEDDINGS_TIMEOUT_MS: '120000' },
    })
    const url = (await service.ready())!
    const keyIn = async (name: string) => (await readFile(path.join(dataDir, name), 'utf8')).trim()
    admin = createClient(url, await keyIn('admin-key'))
    caller = createClient(url, await keyIn('agent-key')).of('default')
  }

  it('continues from its cursor, and ends with every memory in the new index', async () => {
    const contents = Array.from({ length: 1_000 }, (_, i) => `Crate c${i} went into hold h${i % 9}.`)
    for (let i = 0; i < contents.length; i += 500)
      await caller.memories.createMany(contents.slice(i, i + 500).map((content) => ({ content })))
    await indexed(admin)
    models.allow(600)
    const begun = await admin.indexBuilds.create({ model: 'beta' })
    expect(begun.status, JSON.stringify(begun.body)).to.equal(201)
    const read = async () => (await admin.indexBuilds.get(begun.body.build_id)).body
    await until('the build has begun its backfill', async () =>
      expect((await read()).progress!.memories_done).to.be.greaterThan(0),
    )
    await service.kill('SIGKILL')
    await start()
    const before = await read()
    expect(before.state).to.equal('backfilling')
    expect(before.progress!.memories_done).to.be.within(250, 750)
    const meanwhile = await caller.memories.create('A crate came meanwhile.').ok()
    expect(await caller.memories.recallContents('crate c777', { top_k: 1 })).to.deep.equal([contents[777]])
    await caller.memories.delete((await caller.memories.recall('crate c3', { top_k: 1 }).ok()).memories[0]!.id).ok()

    models.allow(Infinity)
    await until('the new model serves', async () => expect((await read()).state).to.equal('serving'), {
      within: 120_000,
    })
    expect((await read()).progress!.memories_done).to.be.within(999, 1_001)
    await until('openai:beta serves', async () =>
      expect((await admin.indexing.get()).body.embedder.id).to.equal('openai:beta'),
    )
    expect(await indexed(admin)).to.equal(contents.length)
    for (const i of [0, 499, 500, 999])
      expect(await caller.memories.recallContents(`crate c${i}`, { top_k: 1 })).to.deep.equal([contents[i]])
    expect((await caller.memories.recall('a crate came meanwhile', { top_k: 1 }).ok()).memories[0]!.id).to.equal(
      meanwhile.id,
    )
    expect(await caller.memories.recallContents('crate c3', { top_k: 3 })).to.not.include(contents[3])
  })
})
