import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, isFree } from '../free-port.js'
import type { Logger } from '../logger.js'
import { POSTGRES_ENVIRONMENT, postgresAccount, type PostgresAccount } from './postgres-account.js'
import { postgresBinaries, type BinariesOptions, type PostgresBinaries } from './postgres-binaries.js'
import {
  createDatabase,
  databaseExists,
  openDirectory,
  chownDatabase,
  removeDrafts,
  setPassword,
  writeDurably,
} from './postgres-database.js'
import { SHUTDOWN_STEPS, shutDownStalePostgres } from './stale-postgres.js'

export interface EmbeddedPostgresOptions {
  /** Directory that this process has claimed (claimDataDir); a PostgreSQL that still runs in it is shut down. */
  readonly dataDir: string
  readonly logger?: Pick<Logger, 'info' | 'warn'>
  /** The only port to use; without it, the port of the last start, or another free one when that is taken. */
  readonly port?: number
  readonly binaries?: Partial<BinariesOptions>
}

export interface EmbeddedPostgres {
  /** URL of the database `cairn` for its superuser; contains the password. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /**
   * Shuts down fast: open transactions are rolled back, and everything committed is on the disk. May be called twice.
   */
  stop(): Promise<void>
  /** Calls `listener` once if the server ends without `stop`, immediately if it already has. */
  onExit(listener: (reason: string) => void): void
}

interface Credentials {
  readonly password: string
  readonly port: number
}

interface Server {
  readonly child: ChildProcess
  readonly port: number
}

/**
 * Starts the PostgreSQL that comes from npm on DATA_DIR/postgres, which is created first if it does not exist, and
 * resolves once it accepts connections. It listens on 127.0.0.1 alone, with a random password in DATA_DIR/postgres.json
 * (0600), and writes its messages to DATA_DIR/postgres.log. Throws ConfigError, or an Error with the server's last
 * messages.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const databaseDirectory = join(dataDir, 'postgres')
  const account = await postgresAccount(databaseDirectory)
  // Temporary folders come last: many machines clean them by age, even under a running server.
  const copyTo = account ? ['/var/cache/cairn', tmpdir()] : [dataDir]
  const binaries = await postgresBinaries(account, { copyTo, ...options.binaries })
  await removeDrafts(dataDir, 'postgres')
  const credentials = await prepareDatabase(dataDir, databaseDirectory, binaries, account, options.logger)
  const directory = await openDirectory(databaseDirectory, account)
  try {
    const server = await startServer({ dataDir, databaseDirectory, binaries, account, directory }, credentials, options)
    if (server.port !== credentials.port) await saveCredentials(dataDir, { ...credentials, port: server.port })
    options.logger?.info({ pid: server.child.pid, port: server.port }, 'embedded PostgreSQL accepts connections')
    return handleOf(server, credentials.password)
  } finally {
    await directory.close()
  }
}

async function prepareDatabase(
  dataDir: string,
  databaseDirectory: string,
  binaries: PostgresBinaries,
  account: PostgresAccount | undefined,
  logger: EmbeddedPostgresOptions['logger'],
): Promise<Credentials> {
  const known = await readCredentials(dataDir)
  const credentials = known ?? { password: randomBytes(24).toString('hex'), port: 0 }
  if (await databaseExists(databaseDirectory, binaries)) {
    await chownDatabase(databaseDirectory, account)
    if ((await shutDownStalePostgres(databaseDirectory)) === 'taken-down') {
      logger?.warn({}, 'shut down the PostgreSQL that an earlier service left running')
    }
    if (!known) await setPassword(databaseDirectory, binaries, account, credentials.password)
  } else {
    logger?.info({ folder: databaseDirectory }, 'creating a new database')
    await createDatabase(databaseDirectory, binaries, account, credentials.password)
  }
  // A crash before this line leaves a database with an unknown password; the next start then sets a new one.
  if (!known) await saveCredentials(dataDir, credentials)
  return credentials
}

async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    const { password, port } = JSON.parse(
      await readFile(join(dataDir, 'postgres.json'), 'utf8'),
    ) as Partial<Credentials>
    return typeof password === 'string' && /^[0-9a-f]{16,}$/.test(password)
      ? { password, port: Number(port) || 0 }
      : undefined
  } catch {
    return undefined
  }
}

async function saveCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const path = join(dataDir, 'postgres.json')
  await writeDurably(`${path}.new`, JSON.stringify(credentials) + '\n')
  await rename(`${path}.new`, path)
}

interface Installation {
  readonly dataDir: string
  readonly databaseDirectory: string
  readonly binaries: PostgresBinaries
  readonly account: PostgresAccount | undefined
  readonly directory: { readonly path: string; readonly descriptor: number | undefined }
}

const MAX_PORT_ATTEMPTS = 5

async function startServer(
  installation: Installation,
  { port: lastPort }: Credentials,
  { port, logger }: EmbeddedPostgresOptions,
): Promise<Server> {
  let candidate = port ?? (lastPort && (await isFree(lastPort)) ? lastPort : await freePort())
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryServer(installation, candidate)
    if (typeof outcome !== 'string') return { child: outcome, port: candidate }
    // Another process may have taken the port between choosing and binding it.
    const isTaken = /could not bind|could not create any TCP\/IP sockets/.test(outcome)
    if (!isTaken || port !== undefined || attempt >= MAX_PORT_ATTEMPTS) {
      throw new Error(`The embedded PostgreSQL did not start on port ${candidate}: ${outcome}`)
    }
    logger?.warn({ port: candidate }, 'port is taken, trying another')
    candidate = await freePort()
  }
}

/** Returns the server once it accepts connections, or its last messages when it ended instead. */
async function tryServer(installation: Installation, port: number): Promise<ChildProcess | string> {
  const { binaries, account, directory, databaseDirectory } = installation
  const log = await openLog(installation.dataDir)
  try {
    const before = (await log.stat()).size
    const child = spawn(binaries.postgres, ['-D', directory.path, '-p', String(port), ...settings()], {
      ...account,
      cwd: '/',
      env: POSTGRES_ENVIRONMENT,
      // Runs in a session of its own: Ctrl-C in a terminal reaches this process alone, which drains before it stops the
      // server.
      detached: true,
      stdio: ['ignore', log.fd, log.fd, directory.descriptor ?? 'ignore'],
    })
    endWithProcess(child)
    let failure: Error | undefined
    child.once('error', (error) => (failure = error))
    while (child.exitCode === null && child.signalCode === null && !failure) {
      if (await isReady(databaseDirectory, child.pid)) return child
      await sleep(20)
    }
    if (failure) throw failure
    return await readFrom(installation.dataDir, before)
  } finally {
    await log.close()
  }
}

/** Asks the server to end when this process ends without `stop`: by an uncaught error, or a second Ctrl-C. */
function endWithProcess(server: ChildProcess): void {
  const end = () => server.kill('SIGINT')
  process.once('exit', end)
  server.once('exit', () => process.off('exit', end))
}

/**
 * Returns settings sized for a laptop. Failing statements contain texts of memories, so neither they nor their details
 * are logged.
 */
function settings(): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '128MB',
    jit: 'off',
    // Parallel workers communicate through /dev/shm, which is 64 MB in a container, and gain little on two cores.
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    // There are no replicas and no archive, so less WAL is needed.
    wal_level: 'minimal',
    max_wal_senders: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: 0,
    log_checkpoints: 'off',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Returns true when the server is ready. Line 1 of postmaster.pid is the server's pid and line 8 its state (what pg_ctl
 * waits for). Recovery after a kill can take a while.
 */
async function isReady(databaseDirectory: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(join(databaseDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

const LOG_LIMIT = 8 * 1024 * 1024

async function openLog(dataDir: string) {
  const path = join(dataDir, 'postgres.log')
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size > LOG_LIMIT) await rename(path, `${path}.1`)
  return open(path, 'a', 0o600)
}

async function readFrom(dataDir: string, offset: number): Promise<string> {
  const content = await readFile(join(dataDir, 'postgres.log'))
  return content.subarray(offset).toString().trim().slice(-2000)
}

function handleOf({ child, port }: Server, password: string): EmbeddedPostgres {
  const listeners: ((reason: string) => void)[] = []
  let exit: string | undefined
  let stopping: Promise<void> | undefined
  const noteExit = () => {
    exit = child.signalCode ?? `status ${child.exitCode}`
    if (!stopping) for (const listener of listeners.splice(0)) listener(exit)
  }
  if (hasEnded(child)) noteExit()
  else child.once('exit', noteExit)
  // The server must not keep a service alive that ends without `stop`.
  child.unref()
  return {
    url: `postgres://cairn:${password}@127.0.0.1:${port}/cairn`,
    port,
    pid: child.pid as number,
    stop: () => (stopping ??= shutDown(child)),
    onExit(listener) {
      if (exit === undefined) listeners.push(listener)
      else if (!stopping) listener(exit)
    },
  }
}

async function shutDown(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  child.ref()
  const ended = once(child, 'exit')
  for (const { signal, limit } of SHUTDOWN_STEPS) {
    child.kill(signal)
    const waiting = new AbortController()
    await Promise.race([ended, sleep(limit, undefined, { signal: waiting.signal }).catch(() => {})])
    waiting.abort()
    if (hasEnded(child)) return
  }
  throw new Error(`The embedded PostgreSQL (process ${child.pid}) does not end.`)
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
