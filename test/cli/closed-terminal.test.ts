import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRunning, identify, type ProcessIdentity } from '../../runtime/process-lock.js'
import { shutDownStalePostgres } from '../../runtime/embedded-postgres/stale-postgres.js'
import { spawnCairn } from '../support/processes.js'
import { inTime, until } from '../support/states.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

describe('a service whose terminal or output reader closes', function () {
  this.timeout(180_000)
  let home: string
  let dataDir: string
  let said: string
  before(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'cairn-closed-'))
    dataDir = path.join(home, '.cairn')
  })
  after(async () => {
    await shutDownStalePostgres(path.join(dataDir, 'postgres'))
    await rm(home, { recursive: true, force: true })
  })

  /** Runs a command as from a shell, in the clone where `npm start` is. */
  const shell = (command: string, args: readonly string[]) =>
    spawn(command, args, {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: '0',
        METRICS_PORT: '0',
        DATA_DIR: dataDir,
        RATE_LIMIT_RECALL: '1',
      },
      // A session of its own, as a terminal has.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  async function postgres(): Promise<ProcessIdentity> {
    const [pid] = (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
    return identify(Number(pid))!
  }
  async function service(): Promise<ProcessIdentity> {
    const { pid } = JSON.parse(await readFile(path.join(dataDir, 'cairn.lock'), 'utf8')) as { pid: number }
    return identify(pid)!
  }
  /** Waits for an orderly end: no process runs, and none has left what a killed process would leave. */
  async function ended(processes: readonly ProcessIdentity[]): Promise<void> {
    await until('both processes have ended', () => !processes.some(isRunning))
    for (const file of ['cairn.lock', 'postgres/postmaster.pid'])
      expect([file, existsSync(path.join(dataDir, file))]).to.deep.equal([file, false])
  }

  it('exits with 0 on SIGHUP, however often it comes, and stops its PostgreSQL', async () => {
    const serving = spawnCairn(['serve'], { cwd: home })
    await serving.ready()
    const server = await postgres()
    process.kill(serving.pid, 'SIGHUP')
    expect((await serving.kill('SIGHUP')).code).to.equal(0)
    await ended([server])
  })

  it('exits with 0 when the reader of its output closes', async () => {
    const serving = shell(process.execPath, [`${ROOT}dist/cli/main.js`, 'serve'])
    serving.stdout!.destroy()
    serving.stderr!.destroy()
    const [code] = (await inTime('the service exits', once(serving, 'exit'), { within: 60_000 })) as [number]
    expect(code).to.equal(0)
    await ended([])
  })

  it('stops when only the first line is read', async () => {
    const piped = shell('/bin/sh', ['-c', `"${process.execPath}" "${ROOT}dist/cli/main.js" serve 2>&1 | head -1`])
    await inTime('the pipe ends', once(piped, 'exit'), { within: 60_000 })
    await until('the lock file is gone', () => !existsSync(path.join(dataDir, 'cairn.lock')))
    await ended([])
  })

  it('stops under `npm start` when the terminal sends SIGHUP to all processes', async () => {
    const npm = shell('npm', ['start', '--silent'])
    const processes = await serving(npm)
    process.kill(-npm.pid!, 'SIGHUP')
    await ended(processes)
  })

  it('stops under `npm start` when its terminal closes, after showing formatted lines, and the keys last', async () => {
    // A terminal of its own, which closes with the program that holds it.
    const terminal = shell('script', ['-qec', 'npm start --silent', '/dev/null'])
    const processes = await serving(terminal)
    expect(said).to.contain('unknown setting RATE_LIMIT_RECALL is ignored; did you mean RATE_LIMIT_RECALLS?')
    expect(said).to.match(/INFO.*ready[^]* serves at [^]*Agent key: /)
    expect(said).not.to.contain('{"level"')
    terminal.kill('SIGKILL')
    await ended(processes)
  })

  async function serving(starter: ChildProcess): Promise<ProcessIdentity[]> {
    said = ''
    for (const output of [starter.stdout!, starter.stderr!]) output.on('data', (text) => (said += String(text)))
    // The time of a start depends on the load of the machine.
    const isServing = () => {
      if (starter.exitCode !== null) throw new Error(`ended with ${starter.exitCode}: ${said}`)
      return expect(said).to.contain('Agent key: ')
    }
    await until('the keys are shown', isServing, { within: 100_000 })
    return [await service(), await postgres()]
  }
})
