import { type BigIntStats, constants } from 'node:fs'
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

/** Throws for a directory in which everybody on the machine may put links and rename what is written. */
export async function requirePrivate(directory: string): Promise<void> {
  const { mode } = await lstat(directory)
  if ((mode & 0o002) === 0 || process.platform === 'win32') return
  throw Object.assign(new Error('everybody may write there'), { code: 'EVERYBODY', syscall: 'open', path: directory })
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
    if (isFileError(error)) renamePlaces(error, held, path)
    throw error
  } finally {
    await handle.close()
  }
}

/** Names the places of an error by the path of a directory, where they are named by how it is held. */
function renamePlaces(error: NodeJS.ErrnoException & { dest?: string }, held: string, path: string): void {
  for (const key of ['path', 'dest'] as const)
    if (error[key] === held || error[key]?.startsWith(`${held}/`)) error[key] = path + error[key].slice(held.length)
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

/** A file as it was read. */
interface ReadFile {
  readonly bytes: Buffer
  readonly isExecutable: boolean
  /** Says what its inode said right before. */
  readonly stats: BigIntStats
}

/** Reads a regular file; a symbolic link is refused, and a pipe without waiting for whoever would write to it. */
export async function readOwnFile(path: string): Promise<ReadFile> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile() && !stats.isDirectory())
      throw Object.assign(new Error(`no regular file: ${path}`), { code: 'EINVAL', syscall: 'open', path })
    return { bytes: await handle.readFile(), isExecutable: isExecutable(stats), stats }
  } finally {
    await handle.close()
  }
}

export function isExecutable({ mode }: BigIntStats): boolean {
  return (mode & 0o100n) !== 0n
}
