import { access, constants, mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { diskFullError, isDiskFull } from './disk-space.js'
import { ConfigError } from './errors.js'
import { LockHeldError, acquireLock, type ProcessLock } from './process-lock.js'

export interface DataDir {
  /** Absolute. */
  readonly path: string
  release(): Promise<void>
}

/**
 * Makes the data directory (0700: it holds keys and texts) and claims it for this process until `release`, by
 * `cairn.lock` in it. The lock of a process that died is taken over. Throws ConfigError when another running process
 * has it or when it cannot be written.
 */
export async function claimDataDir(directory: string): Promise<DataDir> {
  const path = resolve(directory)
  await makeWritable(path)
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
      `${path} cannot be written by this user (${code}). Give it to the user that runs cairn, or name another directory.`,
    )
  }
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
