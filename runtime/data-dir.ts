import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { diskFullError, isDiskFull } from './disk-space.js'
import { ConfigError } from './errors.js'
import { LockHeldError, acquireLock, type ProcessLock } from './process-lock.js'

interface DataDir {
  /** Absolute path. */
  readonly path: string
  release(): Promise<void>
}

/**
 * Creates the data directory, or closes an existing one to other users (0700: it holds keys and texts), and claims it
 * for this process until `release`, with the lock file `cairn.lock`. The lock of a dead process is taken over. Throws
 * ConfigError when another running process holds it or when the directory cannot be written.
 */
export async function claimDataDir(directory: string): Promise<DataDir> {
  const path = resolve(directory)
  await makeWritable(path)
  await makePrivate(path)
  const lock = await lockOrRefuse(path)
  return { path, release: () => lock.release() }
}

async function makeWritable(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (isDiskFull(error)) throw diskFullError(path, error)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new ConfigError('DATA_DIR', `${path} is not a directory.`)
    throw new ConfigError(
      'DATA_DIR',
      `this user cannot write ${path} (${code}). Give it to the user that runs cairn, or name another directory.`,
    )
  }
}

/** Names of cairn's own files in its directory; `lost+found` is the file system's. */
const OWN_FILES = /^(cairn\.|serve\.log$|cairn-postgres-|postgres(\.|$)|(index|models)$|(admin|agent)-key|lost\+found$)/

/**
 * Removes other users' access from a directory that contains nothing but cairn's files. Throws ConfigError for a
 * directory that belongs to another user, whatever its mode: its owner reads it and root may write it. Throws it also
 * for one with other files, since closing `/srv` or a home directory would be worse than asking.
 */
async function makePrivate(path: string): Promise<void> {
  if (process.getuid === undefined) return
  const { mode, uid } = await stat(path)
  if (uid !== process.getuid()) throw privacyError(path, 'belongs to another user')
  if ((mode & 0o077) === 0) return
  if ((await readdir(path)).every((name) => OWN_FILES.test(name))) return chmod(path, 0o700)
  const shownMode = (mode & 0o777).toString(8)
  throw privacyError(path, `is open to other users (mode ${shownMode}) and contains files that are not cairn's`)
}

function privacyError(path: string, why: string): ConfigError {
  return new ConfigError(
    'DATA_DIR',
    `${path} ${why}. cairn would keep keys and texts there. Name a directory that only this user can access, such as ${join(path, 'cairn')}.`,
  )
}

async function lockOrRefuse(path: string): Promise<ProcessLock> {
  try {
    return await acquireLock(join(path, 'cairn.lock'))
  } catch (error) {
    if (isDiskFull(error)) throw diskFullError(path, error)
    if (!(error instanceof LockHeldError)) throw error
    throw new ConfigError(
      'DATA_DIR',
      `${path} is in use by process ${error.owner.pid}. Stop that one first, or give this one another DATA_DIR (and PORT).`,
    )
  }
}
