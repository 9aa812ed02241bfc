import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundledBuild } from './bundled-build.js'
import { GENEROUS_LIMITS } from './limits.js'
import { inTime, until } from './states.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A start makes a PostgreSQL, on a machine that runs other tests; an end may wait for open requests. */
const [START_MS, END_MS] = [120_000, 60_000]

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A real process of the command line: the build of the current sources, which `npm start` runs too, with its packages in a few files. */
export interface CairnProcess {
  readonly pid: number
  readonly exit: Promise<Exit>
  stdout(): string
  stderr(): string
  /** Resolves with the URL of its API, or null for a worker, once it is ready. Throws when it ends before. */
  ready(): Promise<string | null>
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Exit>
}

interface SpawnOptions {
  /** The whole environment of the process except PATH, HOME and NODE_*; no `.env` is read. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const running = new Set<ChildProcess>()
let main: string | undefined

/** Returns the file of the command line, for `node` to run; to be called inside hooks and tests. */
export function cairnFile(): string {
  return main!
}

/** Starts `cairn ARGS`. Processes that still run when the tests end are killed. */
export function spawnCairn(args: readonly string[], { env = {}, cwd = ROOT }: SpawnOptions = {}): CairnProcess {
  const child = spawn(process.execPath, [cairnFile(), ...args], {
    cwd,
    env: { ...inherited(), PORT: '0', METRICS_PORT: '0', ...GENEROUS_LIMITS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text))
  const exit = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  return {
    pid: child.pid!,
    exit,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async ready() {
      const isReady = () => {
        if (readyLine(output.stderr) && (args[0] !== 'serve' || isBannerPrinted(output.stdout))) return true
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended with ${child.exitCode ?? child.signalCode}: ${output.stderr}`)
        return false
      }
      await until(`cairn ${args.join(' ')} is ready`, isReady, { within: START_MS })
      return readyLine(output.stderr)!.url
    },
    async kill(signal) {
      child.kill(signal)
      return inTime(`cairn ${args.join(' ')} ends after ${signal}`, exit, { within: END_MS })
    },
  }
}

interface RunResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `cairn ARGS` to its end. */
export async function runCairn(args: readonly string[], options: SpawnOptions = {}): Promise<RunResult> {
  const run = spawnCairn(args, options)
  const { code } = await run.exit
  return { code, stdout: run.stdout(), stderr: run.stderr() }
}

/** Returns true when `serve` has printed its banner, which follows its last log line in one piece. */
function isBannerPrinted(printed: string): boolean {
  return / serves at .*\n/.test(printed)
}

function readyLine(log: string): { url: string | null } | undefined {
  const line = log.split('\n').find((text) => text.includes('"msg":"ready"'))
  return line === undefined ? undefined : (JSON.parse(line) as { url: string | null })
}

/** Returns the inherited environment, without settings of whoever runs the tests. */
function inherited(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => /^(PATH|HOME|TMPDIR|LANG|NODE_.*)$/.test(name))
  return Object.fromEntries(names.map((name) => [name, process.env[name]!]))
}

// Loaded by a test file outside of any suite, these are hooks of the whole run.
before(async function () {
  this.timeout(300_000)
  // Does nothing while the build is up to date.
  await promisify(execFile)(process.execPath, [`${ROOT}scripts/setup.mjs`, '--build-only'])
  main = await bundledBuild()
})

after(() => {
  for (const child of running) child.kill('SIGKILL')
})
