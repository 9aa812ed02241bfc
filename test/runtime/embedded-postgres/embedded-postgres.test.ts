import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { ConfigError } from '../../../runtime/errors.js'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../../runtime/embedded-postgres/embedded-postgres.js'
import { identify } from '../../../runtime/process-lock.js'
import { thrownBy } from '../../support/failures.js'
import { inTime, until } from '../../support/states.js'

const SERVICE = fileURLToPath(new URL('postgres-service.ts', import.meta.url))

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

async function failureOf(attempt: Promise<unknown>): Promise<Error> {
  return (await thrownBy(attempt)) as Error
}

async function untilEnded(pid: number): Promise<void> {
  await until('the process is gone', () => expect(identify(pid)).to.equal(undefined))
}

describe('embedded PostgreSQL', () => {
  let dataDir: string
  const started: EmbeddedPostgres[] = []

  beforeEach(async () => {
    // mkdtemp creates it with 0700: as root, another user's server must reach its folder in there.
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-test-'))
  })

  afterEach(async () => {
    await Promise.all(started.splice(0).map((postgres) => postgres.stop()))
    await rm(dataDir, { recursive: true, force: true })
  })

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({ dataDir, ...options })
    started.push(postgres)
    return postgres
  }

  it('keeps its data, password and port over a restart', async () => {
    const first = await start()
    await query(first.url, `create table kept as select 'still here' as what`)
    await first.stop()
    expect(identify(first.pid)).to.equal(undefined)
    const second = await start()
    expect(second.url).to.equal(first.url)
    expect(await query(second.url, 'select what from kept')).to.deep.equal([{ what: 'still here' }])
  })

  it('refuses a wrong password, and keeps the right one where only its owner can read it', async () => {
    const postgres = await start()
    const wrong = postgres.url.replace(/:[0-9a-f]+@/, ':wrong@')
    expect((await failureOf(query(wrong, 'select 1'))).message).to.contain('password authentication failed')
    expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).to.equal(0o600)
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o077).to.equal(0)
  })

  it('syncs every commit, does not compile queries, and listens on loopback alone', async () => {
    const postgres = await start()
    const names = [
      'fsync',
      'synchronous_commit',
      'jit',
      'listen_addresses',
      'unix_socket_directories',
      'server_encoding',
    ]
    const rows = await query(
      postgres.url,
      `select ${names.map((name) => `current_setting('${name}') as ${name}`).join()}`,
    )
    expect(rows[0]).to.deep.equal({
      fsync: 'on',
      synchronous_commit: 'on',
      jit: 'off',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      server_encoding: 'UTF8',
    })
  })

  it('does not log failing statements', async () => {
    const postgres = await start()
    await query(postgres.url, 'create table once (text text unique)')
    const insert = `insert into once values ('a secret of mine'), ('a secret of mine')`
    expect((await failureOf(query(postgres.url, insert))).message).to.contain('duplicate key')
    await postgres.stop()
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    expect(log).to.contain('duplicate key')
    expect(log).not.to.contain('secret')
  })

  it('starts again with what was committed after the server was killed, and reports that it ended', async () => {
    const first = await start()
    const ended = new Promise<string>((resolve) => first.onExit(resolve))
    await query(first.url, 'create table committed as select 1 as one')
    process.kill(first.pid, 'SIGKILL')
    expect(await ended).to.equal('SIGKILL')
    expect(await new Promise<string>((resolve) => first.onExit(resolve))).to.equal('SIGKILL')
    const second = await start()
    expect(await query(second.url, 'select one from committed')).to.deep.equal([{ one: 1 }])
  })

  it('does not report a requested stop as an end', async () => {
    const postgres = await start()
    let told = false
    postgres.onExit(() => (told = true))
    await Promise.all([postgres.stop(), postgres.stop()])
    expect(told).to.equal(false)
  })

  it('ends with a process that fails before it stops its server', async () => {
    const service = spawn(process.execPath, ['--import', 'tsx', SERVICE, dataDir], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]()
    const printed = await inTime('the process prints its server', lines.next(), { within: 45_000 })
    const { pid } = JSON.parse(String(printed.value)) as { pid: number }
    service.stdin.write('fail')
    const [code] = (await inTime('the process exits', once(service, 'exit'))) as [number]
    expect(code).to.equal(1)
    await untilEnded(pid)
  })

  it("shuts down a killed service's server, with its busy backends, before it starts its own", async () => {
    const service = spawn(process.execPath, ['--import', 'tsx', SERVICE, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const printed = once(createInterface({ input: service.stdout }), 'line')
    const [line] = (await inTime('the process prints its server', printed, { within: 45_000 })) as [string]
    const stale = JSON.parse(line) as { url: string; pid: number }
    const busy = failureOf(query(stale.url, 'create table left_over as select 1; select pg_sleep(600)'))
    await query(stale.url, 'create table committed as select 1 as one')
    service.kill('SIGKILL')
    await inTime('the process exits', once(service, 'exit'))
    expect(identify(stale.pid)).not.to.equal(undefined)
    const postgres = await start()
    expect(identify(stale.pid)).to.equal(undefined)
    await busy
    expect(await query(postgres.url, 'select one from committed')).to.deep.equal([{ one: 1 }])
  })

  it('does not signal a process that reuses the pid of an earlier server', async () => {
    await (await start()).stop()
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore' })
    try {
      await writeFile(
        join(dataDir, 'postgres', 'postmaster.pid'),
        `${bystander.pid}\n/elsewhere\n1\n5432\n\n\n\nready\n`,
      )
      const postgres = await start()
      expect(postgres.pid).not.to.equal(bystander.pid)
      expect(bystander.exitCode ?? bystander.signalCode).to.equal(null)
    } finally {
      bystander.kill('SIGKILL')
      await untilEnded(bystander.pid as number)
    }
  })

  it('uses another port when the last one is taken, and refuses when a port was requested', async () => {
    const first = await start()
    await first.stop()
    const squatter = createServer().listen(first.port, '127.0.0.1')
    await once(squatter, 'listening')
    try {
      expect((squatter.address() as AddressInfo).port).to.equal(first.port)
      expect((await failureOf(start({ port: first.port }))).message).to.contain('could not bind')
      const second = await start()
      expect(second.port).not.to.equal(first.port)
      expect(await query(second.url, 'select 1 as one')).to.deep.equal([{ one: 1 }])
      await second.stop()
      expect((await start()).port).to.equal(second.port)
    } finally {
      squatter.close()
    }
  })

  it('removes an incomplete database, and creates a complete one', async () => {
    await mkdir(join(dataDir, 'postgres.draft-half', 'base'), { recursive: true })
    const postgres = await start()
    expect(await query(postgres.url, 'select 1 as one')).to.deep.equal([{ one: 1 }])
    expect((await readdir(dataDir)).sort()).to.deep.equal(['postgres', 'postgres.json', 'postgres.log'])
  })

  it('sets a new password when postgres.json is lost', async () => {
    const first = await start()
    await query(first.url, 'create table kept as select 1 as one')
    await first.stop()
    await rm(join(dataDir, 'postgres.json'))
    const second = await start()
    expect(second.url).not.to.equal(first.url)
    expect(await query(second.url, 'select one from kept')).to.deep.equal([{ one: 1 }])
  })

  it('refuses a database of another major version, and a folder without a database', async () => {
    await mkdir(join(dataDir, 'postgres'))
    expect((await failureOf(start())).message).to.contain('is not a PostgreSQL database')
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n')
    const error = await failureOf(start())
    expect(error).to.be.instanceOf(ConfigError)
    expect(error.message).to.contain('was created by PostgreSQL 12')
  })

  it('runs from a private or read-only checkout whose library links are missing', async () => {
    const require = createRequire(import.meta.url)
    const platform = createRequire(require.resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    )
    // Private as root, whose server is another user: it is below a 0700 folder. Read-only for everyone else.
    const native = join(dataDir, 'checkout', 'native')
    await cp(join(dirname(platform), '..', 'native'), native, { recursive: true, verbatimSymlinks: true })
    const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[]
    await Promise.all(links.map(({ target }) => rm(join(dirname(native), target), { force: true })))
    await chmod(join(native, 'lib'), 0o555)
    const root = await mkdtemp(join(tmpdir(), 'cairn-test-binaries-'))
    await chmod(root, 0o755)
    // The umask of `cairn serve`.
    const umask = process.umask(0o077)
    try {
      const unusable = await failureOf(start({ binaries: { native, copyTo: ['/dev/null/copies'] } }))
      expect(unusable.message).to.contain('set DATABASE_URL')
      const copyTo = join(root, 'copies')
      const postgres = await start({ binaries: { native, copyTo: [copyTo] } })
      expect(await query(postgres.url, 'select 1 as one')).to.deep.equal([{ one: 1 }])
      await postgres.stop()
      expect(await readdir(copyTo)).to.have.length(1)
    } finally {
      process.umask(umask)
      await chmod(join(native, 'lib'), 0o755)
      await rm(root, { recursive: true, force: true })
    }
  })
})
