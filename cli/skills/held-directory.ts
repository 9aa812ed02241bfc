import { constants } from 'node:fs'
import { type FileHandle, lstat, open, stat } from 'node:fs/promises'
import { isFileError } from './file-errors.js'

/** A directory that is held open, so that nobody can put another one, or a link, into its place. */
export interface HeldDirectory {
  /** Leads to the directory itself on Linux, whatever is at its own path meanwhile; elsewhere its own path. */
  readonly path: string
  /** Throws ENOTDIR where the path is the directory's own, and leads somewhere else by now. */
  requireInPlace(): Promise<void>
  /** Flushes its entries to the disk. */
  flush(): Promise<void>
}

/** Works in a directory that is held open meanwhile; a symbolic link is refused. Errors of the work name its own path. */
export async function withDirectory<T>(path: string, work: (directory: HeldDirectory) => Promise<T>): Promise<T> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const held = `/proc/self/fd/${handle.fd}`
  try {
    const isReachable = await isSame(
      handle,
      stat(held).catch(() => null),
    )
    return await work({
      path: isReachable ? held : path,
      async requireInPlace() {
        const found = lstat(path).catch(() => null)
        if (!isReachable && !(await isSame(handle, found))) throw notInPlace(path)
      },
      flush: () => handle.sync(),
    })
  } catch (error) {
    if (isFileError(error) && error.path?.startsWith(held)) error.path = path + error.path.slice(held.length)
    throw error
  } finally {
    await handle.close()
  }
}

async function isSame(handle: FileHandle, found: Promise<{ dev: number; ino: number } | null>): Promise<boolean> {
  const [own, other] = await Promise.all([handle.stat(), found])
  return own.dev === other?.dev && own.ino === other.ino
}

function notInPlace(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOTDIR: another directory stands there: ${path}`), {
    code: 'ENOTDIR',
    syscall: 'open',
    path,
  })
}

/** Reads a file; a symbolic link is refused. */
export async function readOwnFile(path: string): Promise<{ readonly bytes: Buffer; readonly isExecutable: boolean }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { mode } = await handle.stat()
    return { bytes: await handle.readFile(), isExecutable: (mode & 0o100) !== 0 }
  } finally {
    await handle.close()
  }
}
