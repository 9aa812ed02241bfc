import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'

/** The user whom PostgreSQL runs as, when that is not this process's own. */
export interface PostgresAccount {
  readonly uid: number
  readonly gid: number
}

export interface RunResult {
  /** null when a signal ended it. */
  readonly status: number | null
  /** Standard output and error, as they came. */
  readonly output: string
}

/** Nothing of our own environment: PGDATA, PGOPTIONS or a locale must not change what the server does. */
export const POSTGRES_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * PostgreSQL refuses to run as root, so root runs it as another user: the one who owns the database already, else the
 * first of `cairn`, `postgres`, `nobody` that the machine knows. undefined: this process's own user will do.
 */
export async function postgresAccount(databaseDirectory: string): Promise<PostgresAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(databaseDirectory).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8').catch(() => ''))
  const account = ['cairn', 'postgres', 'nobody'].flatMap((name) => users.get(name) ?? [])[0]
  if (account) return account
  throw new Error(
    'PostgreSQL does not run as root, and this machine has none of the users cairn, postgres and nobody. ' +
      'Start cairn as an ordinary user, make one of them (useradd --system cairn), or set DATABASE_URL.',
  )
}

function parsePasswd(passwd: string): Map<string, PostgresAccount> {
  const users = new Map<string, PostgresAccount>()
  for (const line of passwd.split('\n')) {
    const [name, , uid, gid] = line.split(':')
    // macOS writes nobody as -2.
    if (name && Number(uid)) users.set(name, { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 })
  }
  return users
}

export interface RunOptions {
  readonly account?: PostgresAccount | undefined
  readonly input?: string
  /** Open in the child as descriptor 3. */
  readonly directory?: number | undefined
}

/** Runs one of PostgreSQL's programs to its end; rejects only when it cannot be started at all. */
export function runAs(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...options.account,
      cwd: '/',
      env: POSTGRES_ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'pipe', options.directory ?? 'ignore'],
    })
    let output = ''
    const collect = (chunk: Buffer) => (output += chunk.toString())
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, output }))
    child.stdin?.on('error', () => {})
    child.stdin?.end(options.input ?? '')
  })
}
