import { expect } from 'chai'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { shutDownStalePostgres } from '../../runtime/embedded-postgres/stale-postgres.js'
import { type Caller, type Client, createClient } from '../support/client.js'
import { indexed } from '../support/indexed.js'
import { spawnCairn, type CairnProcess } from '../support/processes.js'
import { expectNothingLost, expectRecallable, StubbornWriters } from '../support/stubborn-writers.js'

describe('cairn serve killed in the middle of writes', function () {
  this.timeout(300_000)
  let home: string
  let dataDir: string
  let service: CairnProcess
  let admin: Client
  let caller: Caller
  let writers: StubbornWriters

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'cairn-crash-'))
    dataDir = path.join(home, '.cairn')
    await start()
    writers = new StubbornWriters(() => caller)
    writers.start()
  })
  after(async () => {
    await service?.kill('SIGTERM')
    await shutDownStalePostgres(path.join(dataDir, 'postgres'))
    await rm(home, { recursive: true, force: true })
  })

  async function start() {
    service = spawnCairn(['serve'], { cwd: home })
    const url = (await service.ready())!
    const keyIn = async (name: string) => (await readFile(path.join(dataDir, name), 'utf8')).trim()
    admin = createClient(url, await keyIn('admin-key'))
    caller = createClient(url, await keyIn('agent-key')).of('default')
  }
  const someAnswers = () => writers.answers(10 + Math.floor(Math.random() * 30))

  for (const time of ['once', 'twice', 'a third time']) {
    it(`starts again after kill -9, ${time}, and answers interrupted requests`, async () => {
      await someAnswers()
      const before = writers.repeated
      expect((await service.kill('SIGKILL')).signal).to.equal('SIGKILL')
      await start()
      await someAnswers()
      expect(writers.repeated).to.be.greaterThan(before)
    })
  }

  it('exits with 1 when its PostgreSQL is killed, and starts again', async () => {
    const [pid] = (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGKILL')
    expect((await service.exit).code).to.equal(1)
    await start()
    await someAnswers()
  })

  it('has every acknowledged memory once, counts them, and does not restore deleted ones', async () => {
    await writers.stop()
    expect(writers.deleted.size).to.be.greaterThan(0)
    await expectNothingLost(caller, writers)
  })

  it('recalls each of them, indexed or not', () => expectRecallable(caller, writers))

  it('indexes each of them once, without failed rows', async () => {
    expect(await indexed(admin)).to.equal(writers.kept.size)
    await expectRecallable(caller, writers)
  })
})
