import { randomUUID } from 'node:crypto'
import { chown, mkdir, open, readFile, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../errors.js'
import { runAs, type PostgresAccount } from './postgres-account.js'
import type { PostgresBinaries } from './postgres-binaries.js'

/** A database's folder as the server's user reaches it. */
interface OpenDirectory {
  /** Path for the -D option. */
  readonly path: string
  /** Descriptor to open in the child as number 3, when `path` goes through it. */
  readonly descriptor: number | undefined
  close(): Promise<void>
}

/**
 * Opens the folder so that the server's user reaches it. The data directory is 0700, and may lie below other private
 * folders, so that root's PostgreSQL, which runs as another user, cannot reach its folder by name. On Linux it can
 * through a descriptor that root opened: `/proc/self/fd/3` leads straight to the folder, and every process that
 * PostgreSQL forks has the same descriptor. Throws ConfigError where neither works.
 */
export async function openDirectory(path: string, account: PostgresAccount | undefined): Promise<OpenDirectory> {
  const isOpenTo = async (name: string, directory?: number) =>
    (await runAs('/bin/sh', ['-c', 'test -r "$0" && test -w "$0" && test -x "$0"', name], { account, directory }))
      .status === 0
  if (!account || (await isOpenTo(path))) return { path, descriptor: undefined, close: async () => {} }
  const handle: FileHandle = await open(path, 'r')
  if (await isOpenTo('/proc/self/fd/3', handle.fd)) {
    return { path: '/proc/self/fd/3', descriptor: handle.fd, close: () => handle.close() }
  }
  await handle.close()
  throw new ConfigError(
    'DATA_DIR',
    `PostgreSQL does not run as root. It runs as user ${account.uid} instead, who cannot reach ${path}. ` +
      'Start cairn as an ordinary user, name a DATA_DIR below folders that every user may enter (0711), or set DATABASE_URL.',
  )
}

/**
 * Creates a database cluster with one superuser and one database, both called cairn. It is created under another name
 * and renamed when complete, so that a crash leaves nothing that looks like a database.
 */
export async function createDatabase(
  databaseDirectory: string,
  binaries: PostgresBinaries,
  account: PostgresAccount | undefined,
  password: string,
): Promise<void> {
  const draft = `${databaseDirectory}.draft-${randomUUID()}`
  await mkdir(draft, { mode: 0o700 })
  try {
    if (account) await chown(draft, account.uid, account.gid)
    const directory = await openDirectory(draft, account)
    try {
      await runOrThrow(binaries.initdb, ['-D', directory.path, ...INITDB_OPTIONS], account, directory)
      await runStatements(binaries, account, directory, [
        `alter user cairn password '${password}'`,
        'create database cairn',
      ])
    } finally {
      await directory.close()
    }
    await writeDurably(join(draft, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
    await rename(draft, databaseDirectory)
    await sync(dirname(databaseDirectory))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

// The builtin locale is the same on every machine, whatever locales are installed. Access is controlled by pg_hba.conf,
// written before the first start, so that the trust rules that initdb writes never apply.
const INITDB_OPTIONS = [
  '--username=cairn',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--no-instructions',
]

/**
 * Writes a file, whose content is on the disk when this resolves. An existing file keeps its owner and mode, a new one
 * is 0600.
 */
export async function writeDurably(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 })
  await sync(path)
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Removes what an interrupted creation left. Only the holder of the data directory may call it. */
export async function removeDrafts(dataDir: string, name: string): Promise<void> {
  for (const entry of await readdir(dataDir)) {
    if (entry.startsWith(`${name}.draft-`))
      await rm(join(dataDir, entry), { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Sets the superuser's password of a stopped database. */
export async function setPassword(
  databaseDirectory: string,
  binaries: PostgresBinaries,
  account: PostgresAccount | undefined,
  password: string,
): Promise<void> {
  const directory = await openDirectory(databaseDirectory, account)
  try {
    await runStatements(binaries, account, directory, [`alter user cairn password '${password}'`])
  } finally {
    await directory.close()
  }
}

/** Returns false when there is no database. Throws ConfigError when it was created by another major version. */
export async function databaseExists(databaseDirectory: string, binaries: PostgresBinaries): Promise<boolean> {
  const version = await readFile(join(databaseDirectory, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version === undefined) {
    if (await stat(databaseDirectory).catch(() => undefined)) {
      throw new ConfigError(
        'DATA_DIR',
        `${databaseDirectory} exists but is not a PostgreSQL database. Move it away first.`,
      )
    }
    return false
  }
  if (Number(version) === binaries.major) return true
  throw new ConfigError(
    'DATA_DIR',
    `${databaseDirectory} was created by PostgreSQL ${version.trim()}, but this release contains ${binaries.major}. ` +
      'Dump it with the release that created it, and restore the dump into a new DATA_DIR.',
  )
}

/** Gives a folder that root copied (a restored backup) to the server's user. */
export async function chownDatabase(databaseDirectory: string, account: PostgresAccount | undefined): Promise<void> {
  if (!account || (await stat(databaseDirectory)).uid === account.uid) return
  await chown(databaseDirectory, account.uid, account.gid)
  for (const entry of await readdir(databaseDirectory, { recursive: true })) {
    await chown(join(databaseDirectory, entry), account.uid, account.gid)
  }
}

async function runStatements(
  binaries: PostgresBinaries,
  account: PostgresAccount | undefined,
  directory: OpenDirectory,
  statements: readonly string[],
): Promise<void> {
  const input = statements.map((statement) => `${statement};\n`).join('')
  const output = await runOrThrow(
    binaries.postgres,
    ['--single', '-D', directory.path, 'postgres'],
    account,
    directory,
    input,
  )
  // The single-user server exits with 0 even when a statement failed.
  if (/ (ERROR|FATAL|PANIC): /.test(output)) throw new Error(`PostgreSQL: ${hidePasswords(output)}`)
}

async function runOrThrow(
  program: string,
  args: readonly string[],
  account: PostgresAccount | undefined,
  directory: OpenDirectory,
  input?: string,
): Promise<string> {
  const { status, output } = await runAs(program, args, {
    account,
    directory: directory.descriptor,
    ...(input === undefined ? {} : { input }),
  })
  if (status === 0) return output
  throw new Error(`${program} ended with ${status}: ${hidePasswords(output).slice(-2000)}`)
}

/** Hides passwords: a failing statement is printed whole, with the password in its quotes. */
function hidePasswords(output: string): string {
  return output.trim().replace(/password '[^']*'/g, "password '…'")
}
