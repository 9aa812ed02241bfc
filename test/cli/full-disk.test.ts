import { expect } from 'chai'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnavailableError } from '../../runtime/errors.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { type Caller, createClient } from '../support/client.js'
import { runCairn, spawnCairn, type CairnProcess } from '../support/processes.js'
import { runSql } from '../support/run-sql.js'
import { mintKey } from '../support/service.js'
import { folderOn, mountSmallDisk, pretendSmallDisk, type SmallDisk } from '../support/small-disk.js'
import { until } from '../support/states.js'
import { changes, DIMENSIONS } from '../search/seeds.js'

/** Size of the disk: an embedded PostgreSQL with its first segment of WAL takes 50 MiB. */
const MEBIBYTES = 110

const mounted = await mountSmallDisk(MEBIBYTES)
after(() => mounted?.remove())

describe('a start on a full disk', function () {
  this.timeout(60_000)
  const disks: Record<string, () => Promise<SmallDisk | null>> = {
    'that stands for one': pretendSmallDisk,
    ...(mounted && { 'that is one': () => Promise.resolve(mounted) }),
  }
  for (const [which, open] of Object.entries(disks))
    it(`${which} names DATA_DIR and what to do, and leaves no lock and prints no stack`, async () => {
      const disk = (await open())!
      try {
        const dataDir = await folderOn(disk, 'data')
        await disk.fill()
        const { code, stderr } = await runCairn(['serve'], { env: { DATA_DIR: dataDir, ...disk.env } })
        expect(stderr).to.match(/^cairn: DATA_DIR: the disk of .* is full\. Free space on it /)
        expect([code, stderr.split('\n').length]).to.deep.equal([2, 2])
        expect(await readdir(dataDir)).to.deep.equal([])
      } finally {
        await (disk === mounted ? disk.free() : disk.remove())
      }
    })
})

/**
 * Has PostgreSQL begin a segment of its write-ahead log, which it makes whole: without space for the next one it would end, and
 * the service with it, as soon as what the start has left of the first is used up.
 */
async function beginSegmentOfWal(dataDir: string): Promise<void> {
  const { password, port } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as {
    password: string
    port: number
  }
  await runSql(`postgres://cairn:${password}@127.0.0.1:${port}/cairn`, 'select pg_switch_wal()')
}

if (mounted)
  describe('a running service whose disk fills up', function () {
    this.timeout(120_000)
    const adminKey = 'admin-of-a-small-disk-0123456789'
    let cairn: CairnProcess
    let url: string
    let caller: Caller
    before(async () => {
      await mounted.free()
      const dataDir = await folderOn(mounted, 'service')
      cairn = spawnCairn(['serve'], { env: { DATA_DIR: dataDir, ADMIN_API_KEY: adminKey } })
      url = (await cairn.ready())!
      caller = createClient(url, await mintKey(createClient(url, adminKey), { tenantId: 't', agentId: 'a' })).of('t')
      await beginSegmentOfWal(dataDir)
      await caller.memories.create('Before the disk was full.').ok()
      await mounted.fill()
    })
    after(async () => {
      await mounted.free()
      await cairn.kill('SIGTERM')
    })

    const anyone = () => createClient(url)
    const full = /disk of the service's PostgreSQL is full/
    /** Each text takes pages of its own, so that pages with free space are soon used up. */
    const long = (n: number) =>
      `Memory ${n}: ${Array.from({ length: 1_200 }, () => Math.random().toString(36).slice(2, 9)).join(' ')}`

    it('answers writes 503 with the reason, still answers reads, and is not ready', async () => {
      let n = 0
      await until('a write is refused for the full disk', async () =>
        full.test((await caller.memories.create(long(n++))).body.error?.message ?? ''),
      )
      const { status, body } = await caller.memories.create(long(n))
      expect([status, full.test(body.error.message)]).to.deep.equal([503, true])
      expect((await caller.memories.list({ limit: 1 })).status).to.equal(200)
      const ready = await anyone().probes.ready()
      expect([ready.status, full.test(ready.body.error.message)], ready.body.error?.message).to.deep.equal([503, true])
      await until('health shows postgres as impaired', async () =>
        expect((await anyone().probes.health()).body.dependencies.postgres).to.equal('impaired'),
      )
    })

    it('makes doctor report it and exit with 1', async () => {
      const { code, stdout } = await runCairn(['doctor'], {
        env: { CAIRN_URL: url, DATA_DIR: `${mounted.path}/service` },
      })
      expect(code).to.equal(1)
      expect(stdout).to.match(/✘ service .*disk of the service's PostgreSQL is full/)
      expect(stdout).to.match(/✘ DATA_DIR .* has 0 MiB left: free space/)
    })

    it('accepts writes again by itself when there is space, and loses nothing', async () => {
      await mounted.free()
      await until('the service is ready', async () => expect((await anyone().probes.ready()).status).to.equal(200))
      await until('a write is accepted', async () =>
        expect((await caller.memories.create('There is space again.')).status).to.equal(201),
      )
      await until('health is ok', async () => expect((await anyone().probes.health()).body.status).to.equal('ok'))
      expect((await caller.memories.recall('before the disk was full').ok()).memories[0]!.content).to.equal(
        'Before the disk was full.',
      )
    })

    it('reports the search index alone, and indexes what it refused when there is space', async () => {
      const directory = await folderOn(mounted, 'index')
      const index = createSqliteIndex({
        directory,
        embedderId: 'test/model',
        dimensions: DIMENSIONS,
        generation: '00000001',
      })
      try {
        await index.make('first')
        await mounted.fill()
        const many = changes(
          Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, { terms: long(i).split(' ') }])),
        )
        const error = await index
          .for('t')
          .write(many)
          .then(
            () => null,
            (failure: unknown) => failure,
          )
        expect(error).to.be.instanceOf(UnavailableError)
        expect(error).to.include({ dependency: 'search', reason: 'disk_full' })
        expect(await index.health()).to.have.property('reason', 'disk_full')
        await mounted.free()
        expect((await index.for('t').write(many)).every(({ outcome }) => outcome === 'written')).to.equal(true)
        expect(await index.health()).to.equal(null)
      } finally {
        await mounted.free()
        await index.stop()
      }
    })
  })
