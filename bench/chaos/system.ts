import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../runtime/free-port.js'
import { type BenchProcess, startProcess } from '../bench-process.js'
import type { Cleanup } from '../cleanup.js'
import { createEnvironment, type BenchEnvironment, type Profile } from '../environment.js'
import { migrate, UNLIMITED } from '../service.js'
import { call } from './calls.js'

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url))
const START_LIMIT_MS = 180_000

/** One process of the service, which may be killed and started again on its ports. */
export interface Part {
  readonly name: string
  /** Base URL; null for a worker. */
  readonly url: string | null
  start(): void
  /** Process id; null while it does not run. */
  pid(): number | null
  /** Sends the signal, and resolves when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGHUP'): Promise<void>
  lastWords(): string
}

/** The service under test and its environment. */
export interface System {
  readonly environment: BenchEnvironment
  readonly parts: readonly Part[]
  readonly adminKey: string
  urls(): readonly string[]
}

/** Starts `serve`, or two APIs and two workers on a database of their own. Resolves when all are ready. */
export async function startSystem(profile: Profile, cleanup: Cleanup): Promise<System> {
  const adminKey = `chaos-${randomBytes(24).toString('hex')}`
  const environment = await createEnvironment(profile, cleanup)
  const env = { ...UNLIMITED, ...environment.env, ADMIN_API_KEY: adminKey, LOG_LEVEL: 'info' }
  const part = (name: string, args: string[], isApi: boolean) =>
    createPart({ name, args, isApi, env, environment, cleanup })
  const worker = ['worker', '--queues', 'indexing,scans,lifecycle']
  const parts =
    profile === 'embedded'
      ? [await part('serve', ['serve'], true)]
      : [
          await part('api-1', ['api'], true),
          await part('api-2', ['api'], true),
          await part('worker-1', worker, false),
          await part('worker-2', worker, false),
        ]
  if (profile === 'scaled') await migrate(environment, env, cleanup)
  for (const each of parts) each.start()
  const urls = parts.flatMap(({ url }) => url ?? [])
  const system = { environment, parts, adminKey, urls: () => urls }
  await Promise.all(urls.map((url) => untilReady(url)))
  return system
}

async function createPart(options: {
  name: string
  args: string[]
  isApi: boolean
  env: Readonly<Record<string, string>>
  environment: BenchEnvironment
  cleanup: Cleanup
}): Promise<Part> {
  const { name, args, isApi, environment, cleanup } = options
  const port = String(await freePort())
  const env = { ...options.env, METRICS_PORT: '0', ...(isApi && { PORT: port }) }
  let running: BenchProcess | null = null
  const isRunning = () => running !== null && running.exited() === null
  return {
    name,
    url: isApi ? `http://127.0.0.1:${port}` : null,
    start() {
      if (!isRunning())
        running = startProcess({ name, directory: environment.directory, env, args: [MAIN, ...args], cleanup })
    },
    pid: () => (isRunning() ? running!.pid : null),
    async end(signal) {
      if (isRunning()) process.kill(running!.pid, signal)
      while (isRunning()) await sleep(10)
    },
    lastWords: () => running?.lastWords() ?? '',
  }
}

async function untilReady(url: string): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS
  while ((await call(`${url}/api/v1/ready`, { method: 'GET', limitMs: 5_000 })).outcome !== 200) {
    if (performance.now() > limit) throw new Error(`${url} is not ready after three minutes`)
    await sleep(100)
  }
}

/**
 * Kills the embedded PostgreSQL with SIGKILL, without the service's knowledge. Its backends notice and end by
 * themselves.
 */
export function killEmbeddedPostgres(environment: BenchEnvironment): void {
  const dataDir = environment.env.DATA_DIR!
  const file = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('postmaster.pid'),
  )
  if (file === undefined) return
  const pid = Number(readFileSync(join(dataDir, file), 'utf8').split('\n')[0])
  if (pid > 0) process.kill(pid, 'SIGKILL')
}

/** Returns the paths of the engine's files of the embedded profile. */
function indexFiles({ env }: BenchEnvironment): string[] {
  const files = readdirSync(env.DATA_DIR!, { recursive: true, encoding: 'utf8' })
  return files.filter((name) => /\.sqlite(?:-wal|-shm)?$/.test(name)).map((name) => join(env.DATA_DIR!, name))
}

export function removeIndexFiles(environment: BenchEnvironment): void {
  for (const file of indexFiles(environment)) rmSync(file, { force: true })
}

/** Copies the engine's files, which no process may have open. Returns a function that restores them. */
export function copyIndexFiles(environment: BenchEnvironment): () => void {
  const copies = indexFiles(environment).map((file) => ({ file, content: readFileSync(file) }))
  return () => {
    removeIndexFiles(environment)
    for (const { file, content } of copies) writeFileSync(file, content, { mode: 0o600 })
  }
}
