import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ROOMY_LIMITS } from './limits.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A real process of the command line: the build of the sources as they are, which `npm start` runs too. */
export interface CairnProcess {
  readonly pid: number
  readonly exit: Promise<Exit>
  stdout(): string
  stderr(): string
  /** Resolves with the URL of its API, or null of a worker's, once it says that it is ready. Throws when it ends before. */
  ready(): Promise<string | null>
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Exit>
}

export interface SpawnOptions {
  /** The whole environment of the process but PATH, HOME and NODE_*; no `.env` is read. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const running = new Set<ChildProcess>()

/** `cairn ARGS`. Whatever still runs when the tests end is killed. */
export function spawnCairn(args: readonly string[], { env = {}, cwd = ROOT }: SpawnOptions = {}): CairnProcess {
  const child = spawn(process.execPath, [`${ROOT}dist/cli/main.js`, ...args], {
    cwd,
    env: { ...inherited(), PORT: '0', METRICS_PORT: '0', ...ROOMY_LIMITS, ...env },
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
      for (;;) {
        const line = readyLine(output.stderr)
        if (line && (args[0] !== 'serve' || isBannerPrinted(output.stdout))) return line.url
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended with ${child.exitCode ?? child.signalCode}: ${output.stderr}`)
        await sleep(20)
      }
    },
    async kill(signal) {
      child.kill(signal)
      return exit
    },
  }
}

export interface RunResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `cairn ARGS` to its end. */
export async function runCairn(args: readonly string[], options: SpawnOptions = {}): Promise<RunResult> {
  const run = spawnCairn(args, options)
  const { code } = await run.exit
  return { code, stdout: run.stdout(), stderr: run.stderr() }
}

/** Returns what `serve` prints behind its last line of log, in one piece. */
function isBannerPrinted(printed: string): boolean {
  return / serves at .*\n/.test(printed)
}

function readyLine(log: string): { url: string | null } | undefined {
  const line = log.split('\n').find((text) => text.includes('"msg":"ready"'))
  return line === undefined ? undefined : (JSON.parse(line) as { url: string | null })
}

/** Settings of whoever runs the tests must not reach the processes under test. */
function inherited(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => /^(PATH|HOME|TMPDIR|LANG|NODE_.*)$/.test(name))
  return Object.fromEntries(names.map((name) => [name, process.env[name]!]))
}

// Loaded by a test file outside of any suite, these are hooks of the whole run.
before(async function () {
  this.timeout(300_000)
  // Does nothing while the build is that of these sources.
  await promisify(execFile)(process.execPath, [`${ROOT}scripts/setup.mjs`, '--build-only'])
})

after(() => {
  for (const child of running) child.kill('SIGKILL')
})
