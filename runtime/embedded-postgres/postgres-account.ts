import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'

/** The user that PostgreSQL runs as, when that is not this process's own. */
export interface PostgresAccount {
  readonly uid: number
  readonly gid: number
}

interface RunResult {
  /** Exit status; null when a signal ended the program. */
  readonly status: number | null
  /** Standard output and error, in the order in which they came. */
  readonly output: string
}

/**
 * Environment of PostgreSQL's programs, without our own: PGDATA, PGOPTIONS or a locale must not change what they do.
 */
export const POSTGRES_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Returns the user to run PostgreSQL as, undefined for this process's own. PostgreSQL refuses to run as root, so root
 * runs it as another user: the owner of the database if there is one, else the first of `cairn`, `postgres`, `nobody`
 * that the machine knows. Throws when there is none.
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
      'Start cairn as an ordinary user, create one of them (useradd --system cairn), or set DATABASE_URL.',
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

interface RunOptions {
  readonly account?: PostgresAccount | undefined
  readonly input?: string
  /** Descriptor that is open in the child as number 3. */
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
