import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { claimDataDir } from '../../runtime/data-dir.js'
import { ConfigError } from '../../runtime/errors.js'
import { inTime } from '../support/states.js'

const CLAIMANT = fileURLToPath(new URL('claimant.ts', import.meta.url))

/** A process that claims the directory when told to, prints the outcome, and keeps the claim until it is killed. */
interface Claimant {
  readonly child: ChildProcess
  claim(): Promise<string>
  kill(): Promise<void>
}

async function startClaimant(directory: string): Promise<Claimant> {
  const child = spawn(process.execPath, ['--import', 'tsx', CLAIMANT, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exited = once(child, 'exit')
  expect((await inTime('the claimant is ready', lines.next(), { within: 45_000 })).value).to.equal('ready')
  return {
    child,
    async claim() {
      child.stdin.write('claim\n')
      return String((await inTime('the claimant answers', lines.next())).value)
    },
    async kill() {
      child.kill('SIGKILL')
      await inTime('the claimant exits', exited)
    },
  }
}

async function refusal(directory: string): Promise<ConfigError> {
  try {
    const { release } = await claimDataDir(directory)
    await release()
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError)
    return error as ConfigError
  }
  throw new Error('it was not refused')
}

describe('claiming the data directory', () => {
  let root: string
  let directory: string
  const claimants: Claimant[] = []

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'cairn-test-'))
    directory = join(root, 'below', 'cairn')
  })

  afterEach(async () => {
    await Promise.all(claimants.splice(0).map((claimant) => claimant.kill()))
    await rm(root, { recursive: true, force: true })
  })

  async function claimantsOf(count: number): Promise<Claimant[]> {
    const started = await Promise.all(Array.from({ length: count }, () => startClaimant(directory)))
    claimants.push(...started)
    return started
  }

  it('creates a directory that only its owner may enter, and names the owner in cairn.lock', async () => {
    const claimed = await claimDataDir(directory)
    expect(claimed.path).to.equal(directory)
    expect((await stat(directory)).mode & 0o777).to.equal(0o700)
    const lock = JSON.parse(await readFile(join(directory, 'cairn.lock'), 'utf8'))
    expect(lock.pid).to.equal(process.pid)
    expect(lock.started).to.be.a('string')
    await claimed.release()
    expect(await readdir(directory)).to.deep.equal([])
  })

  it('refuses a second process, naming the first and what to do', async () => {
    const [first] = await claimantsOf(1)
    expect(await first!.claim()).to.equal('claimed')
    const error = await refusal(directory)
    expect(error.variable).to.equal('DATA_DIR')
    expect(error.message).to.match(new RegExp(`is in use by process ${first!.child.pid}\\. Stop`))
  })

  it('refuses a second claim of the same process, and allows one after the release', async () => {
    const claimed = await claimDataDir(directory)
    expect((await refusal(directory)).message).to.contain(`process ${process.pid}`)
    await claimed.release()
    await (await claimDataDir(directory)).release()
  })

  it('takes over the lock of a killed process', async () => {
    const [first] = await claimantsOf(1)
    expect(await first!.claim()).to.equal('claimed')
    await first!.kill()
    await (await claimDataDir(directory)).release()
  })

  it('takes over the lock when its pid belongs to another process by now', async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'cairn.lock'), JSON.stringify({ pid: process.pid, started: 'long ago' }))
    await (await claimDataDir(directory)).release()
  })

  it('takes over an empty lock', async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'cairn.lock'), '')
    await (await claimDataDir(directory)).release()
  })

  it('closes a directory of its own that was open to other users', async () => {
    await mkdir(join(directory, 'index'), { recursive: true })
    await chmod(directory, 0o755)
    await (await claimDataDir(directory)).release()
    expect((await stat(directory)).mode & 0o777).to.equal(0o700)
  })

  it('refuses an open directory with other files, and leaves it unchanged', async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, 'thesis.txt'), '')
    await chmod(directory, 0o755)
    expect((await refusal(directory)).message).to.match(
      /mode 755\) and contains files that are not cairn's.* such as .*\/cairn\/cairn\.$/,
    )
    expect((await stat(directory)).mode & 0o777).to.equal(0o755)
    await chmod(directory, 0o700)
    await (await claimDataDir(directory)).release()
  })

  for (const mode of [0o777, 0o700])
    it(`refuses a directory of another user (mode ${mode.toString(8)}), and leaves it unchanged`, async () => {
      // Only root may change the owner of a directory.
      if (process.getuid?.() !== 0) return
      await mkdir(directory, { recursive: true })
      await chmod(directory, mode)
      await chown(directory, 65_534, 65_534)
      expect((await refusal(directory)).message).to.contain('belongs to another user')
      expect((await stat(directory)).mode & 0o777).to.equal(mode)
    })

  it('refuses a path that is a file', async () => {
    await writeFile(join(root, 'below'), '')
    expect((await refusal(join(root, 'below'))).message).to.contain('is not a directory')
  })

  for (const { name, prepare } of [
    { name: 'an unused directory', prepare: async () => {} },
    {
      name: "a dead process's directory",
      prepare: async () => {
        await mkdir(directory, { recursive: true })
        await writeFile(join(directory, 'cairn.lock'), JSON.stringify({ pid: 2 ** 22 + 1, started: 'x' }))
      },
    },
  ]) {
    it(`is claimed by exactly one of ten processes that start at once: ${name}`, async () => {
      const racers = await claimantsOf(10)
      await prepare()
      const outcomes = await Promise.all(racers.map((racer) => racer.claim()))
      expect(outcomes.filter((outcome) => outcome === 'claimed')).to.have.length(1)
      const winner = racers[outcomes.indexOf('claimed')]!.child.pid
      for (const outcome of outcomes.filter((outcome) => outcome !== 'claimed')) {
        expect(outcome).to.contain(`is in use by process ${winner}.`)
      }
      expect(await readdir(directory)).to.deep.equal(['cairn.lock'])
    })
  }
})
