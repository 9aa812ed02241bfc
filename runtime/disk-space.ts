import { statfs } from 'node:fs/promises'
import { ConfigError } from './errors.js'

const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', '53100', 'SQLITE_FULL'])
const DISK_FULL_MESSAGE = /No space left on device|Disk quota exceeded|SQLITE_FULL/i

/** Returns true for an error that was caused by a full disk: of a file, a started program, PostgreSQL or SQLite. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    DISK_FULL_CODES.has((error as { code?: unknown }).code) ||
    DISK_FULL_MESSAGE.test(error.message) ||
    isDiskFull(error.cause)
  )
}

/** Returns how many bytes this user may still write there; null when the system does not tell. */
export async function freeBytes(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize
  } catch {
    return null
  }
}

/** Size of a new database, index and log; later writes come on top. */
export const FIRST_START_BYTES = 64 * 2 ** 20

export function diskFullError(directory: string, cause?: unknown): ConfigError {
  const needed = `${FIRST_START_BYTES / 2 ** 20} MiB`
  return new ConfigError(
    'DATA_DIR',
    `the disk of ${directory} is full. Free space on it (a first start takes ${needed}), or name a directory on another disk.`,
    cause,
  )
}
