import { expect } from 'chai'
import { existsSync } from 'node:fs'
import { lstat, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../runtime/free-port.js'
import { runCairn, spawnCairn, type CairnProcess } from '../support/processes.js'
import { until } from '../support/states.js'

describe('cairn serve with nothing but a directory', function () {
  this.timeout(180_000)
  let home: string
  let dataDir: string
  let first: CairnProcess
  let curls: Curl[]
  let again: CairnProcess
  let url: string
  let keysWhenReady: string[]
  const serve = (env: Record<string, string> = {}) => spawnCairn(['serve'], { cwd: home, env })
  const keyIn = async (name: string) => (await readFile(path.join(dataDir, name), 'utf8')).trim()

  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'cairn-serve-'))
    dataDir = path.join(home, '.cairn')
    const port = await freePort()
    first = serve({ PORT: String(port) })
    keysWhenReady = await keysOnceReady(`http://127.0.0.1:${port}`)
    await first.ready()
  })
  after(() => rm(home, { recursive: true, force: true }))

  it('prints an admin key and an agent key once, and stores them for its user alone', async () => {
    const printed = first.stdout()
    for (const name of ['admin-key', 'agent-key']) {
      expect(printed).to.contain(await keyIn(name))
      expect((await stat(path.join(dataDir, name))).mode & 0o777).to.equal(0o600)
    }
    expect(first.stderr()).not.to.contain(await keyIn('admin-key'))
    expect(first.stderr()).not.to.contain(await keyIn('agent-key'))
  })

  it('is not ready before both keys exist', () => {
    expect(keysWhenReady).to.deep.equal(['admin-key', 'agent-key'])
  })

  it('creates no file that another user may read', async () => {
    const made = ['', ...(await readdir(dataDir, { recursive: true }))]
    expect(made).to.include.members(['postgres/base', 'postgres.log', 'cairn.lock'])
    expect(made.filter((name) => name.endsWith('.sqlite'))).to.have.length(2)
    for (const name of made) {
      const { mode } = await lstat(path.join(dataDir, name)).catch(() => ({ mode: 0 }))
      expect([name, mode & 0o077]).to.deep.equal([name, 0])
    }
  })

  it('prints a curl that writes a memory and one that recalls it', async () => {
    curls = curlsIn(first.stdout())
    expect(curls).to.have.length(2)
    const [written, recalled] = [await send(curls[0]!), await send(curls[1]!)]
    expect(written.status).to.equal(201)
    expect(recalled.status).to.equal(200)
    expect(recalled.body.memories[0].content).to.equal(written.body.content)
  })

  it('refuses a second process on the same directory, naming its owner', async () => {
    const second = await runCairn(['serve'], { cwd: home })
    expect(second.code).to.equal(2)
    expect(second.stderr).to.match(new RegExp(`DATA_DIR: .* in use by process ${first.pid}`))
  })

  it('exits with 0 on SIGTERM and leaves nothing running', async () => {
    expect(await first.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null })
    expect(existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).to.equal(false)
    expect(existsSync(path.join(dataDir, 'cairn.lock'))).to.equal(false)
  })

  it('starts again with its data and the same keys, does not print them again, and rebuilds a missing index', async () => {
    await rm(path.join(dataDir, 'index'), { recursive: true })
    again = serve()
    url = (await again.ready())!
    for (const name of ['admin-key', 'agent-key']) {
      expect(again.stdout()).not.to.contain(await keyIn(name))
      expect(again.stdout()).to.contain(path.join(dataDir, name))
    }
    await until('the memory is indexed', async () => isIndexed(await indexing(await keyIn('admin-key')), 1))
    expect((await send(movedTo(curls[1]!, url))).body.memory_count).to.equal(1)
  })

  it('restarts after kill -9 with every acknowledged memory, and indexes it', async () => {
    const facts = Array.from({ length: 20 }, (_, i) => `Fact number ${i} was written before the crash.`)
    const sent = await Promise.all(facts.map((content) => send(writing(curls[0]!, url, content))))
    expect(sent.map(({ status }) => status)).to.deep.equal(facts.map(() => 201))
    expect((await again.kill('SIGKILL')).signal).to.equal('SIGKILL')

    again = serve({ ADMIN_API_KEY: 'another-admin-key' })
    url = (await again.ready())!
    await until('every memory is indexed', async () => isIndexed(await indexing('another-admin-key'), 21))
  })

  it('uses the admin key of ADMIN_API_KEY and not the stored one', async () => {
    expect((await indexing(await keyIn('admin-key'))).error.code).to.equal('UNAUTHORIZED')
  })

  it('exits with 1 when its PostgreSQL is killed', async () => {
    const pid = Number((await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
    process.kill(pid, 'SIGKILL')
    expect((await again.exit).code).to.equal(1)
    expect(again.stderr()).to.contain('the embedded PostgreSQL ended')
  })

  it('starts after that, and exits with 0 on SIGINT, without a warning though it is at work', async () => {
    again = serve({ LOG_LEVEL: 'debug' })
    url = (await again.ready())!
    expect((await send(movedTo(curls[1]!, url))).body.memory_count).to.be.greaterThan(1)
    const asked = Array.from({ length: 40 }, (_, i) =>
      send(i % 2 === 0 ? writing(curls[0]!, url, `Fact ${i} was written before the stop.`) : movedTo(curls[1]!, url)),
    )
    await Promise.all(asked)
    const before = again.stderr().length
    const { code } = await again.kill('SIGINT')
    expect(code, again.stderr().slice(before)).to.equal(0)
    const lines = again.stderr().slice(before).trim().split('\n')
    const said = lines.map((line) => JSON.parse(line) as { level: number; msg: string })
    expect(said.filter(({ level }) => level > 30)).to.deep.equal([])
    expect(said.map(({ msg }) => msg)).to.include.members(['stopping', 'stopped'])
  })

  it('exits with 0 when it is asked to stop while it starts', async () => {
    const starting = serve()
    await until('the lock file exists', () => existsSync(path.join(dataDir, 'cairn.lock')))
    expect((await starting.kill('SIGTERM')).code).to.equal(0)
    expect(existsSync(path.join(dataDir, 'cairn.lock'))).to.equal(false)
    expect(existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).to.equal(false)
  })

  /** Returns which key files exist at the first ready answer. */
  async function keysOnceReady(at: string): Promise<string[]> {
    const status = async () => (await fetch(`${at}/api/v1/ready`).catch(() => null))?.status
    await until('the service is ready', async () => expect(await status()).to.equal(200), { within: 60_000, every: 2 })
    return ['admin-key', 'agent-key'].filter((name) => existsSync(path.join(dataDir, name)))
  }

  async function indexing(key: string) {
    const answer = await fetch(`${url}/api/v1/admin/indexing`, { headers: { 'X-API-Key': key } })
    return (await answer.json()) as Json
  }
})

function isIndexed(state: Json, documents: number): boolean {
  return state.pending === 0 && state.index.documents === documents
}

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of several operations */
type Json = any

interface Curl {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** Parses the commands as a shell would, as far as they need it. */
function curlsIn(text: string): Curl[] {
  return text
    .split(/^(?=curl )/m)
    .slice(1)
    .map((command) => ({
      url: /https?:\S+/.exec(command)![0],
      headers: Object.fromEntries(
        [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map((match) => [match[1]!, match[2]!]),
      ),
      body: /-d '([^']+)'/.exec(command)![1]!,
    }))
}

async function send({ url, headers, body }: Curl) {
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as Json }
}

function movedTo(curl: Curl, url: string): Curl {
  return { ...curl, url: url + new URL(curl.url).pathname }
}

function writing(curl: Curl, url: string, content: string): Curl {
  return { ...movedTo(curl, url), body: JSON.stringify({ ...JSON.parse(curl.body), content }) }
}
