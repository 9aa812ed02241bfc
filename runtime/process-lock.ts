import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process, distinguished by its start time from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number
  /** Opaque start time; empty where the system does not tell. */
  readonly started: string
}

export interface ProcessLock {
  release(): Promise<void>
}

export class LockHeldError extends Error {
  constructor(
    path: string,
    readonly owner: ProcessIdentity,
  ) {
    super(`${path} is held by process ${owner.pid}`)
    this.name = 'LockHeldError'
  }
}

/** Returns the identity of a running process, undefined when there is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = startTimeOf(pid)
  return started === undefined ? undefined : { pid, started }
}

/** Returns true when the process runs. A zombie counts as dead: it holds nothing any more. */
export function isRunning({ pid, started }: ProcessIdentity): boolean {
  const actual = startTimeOf(pid)
  if (actual === undefined) return false
  return actual === '' || started === '' || actual === started
}

/** Returns true when a running process holds the lock file at `path`. */
export async function isLocked(path: string): Promise<boolean> {
  const owner = ownerOf((await readIfExists(path)) ?? '')
  return owner !== undefined && isRunning(owner)
}

/**
 * Takes the lock file at `path`, whose content names its owner. A dead owner's lock is taken over. Throws LockHeldError
 * when a running process holds it.
 *
 * The file appears with its content at once (a hard link), so nobody reads half a lock. A dead lock may be removed only
 * by the holder of a guard named after that very content, who reads it once more under the guard: otherwise a slow
 * process could remove the fresh lock of a faster one. The guard is such a lock itself, so its owner's death blocks
 * nobody either.
 *
 * proper-lockfile is no substitute: it knows an owner by the lock's age alone, 2 s at least. In a trial the lock of a
 * killed process was refused for 2.9 s, and a running process that was busy for 2.8 s lost its lock.
 */
export async function acquireLock(path: string): Promise<ProcessLock> {
  const content =
    JSON.stringify({ pid: process.pid, started: startTimeOf(process.pid) ?? '', token: randomUUID() }) + '\n'
  const candidate = `${path}.${randomUUID()}`
  try {
    await writeFile(candidate, content, { mode: 0o600, flag: 'wx' })
    while (!(await tryLink(candidate, path))) {
      const found = await readIfExists(path)
      if (found === undefined) continue
      const owner = ownerOf(found)
      if (owner && isRunning(owner)) throw new LockHeldError(path, owner)
      await removeStaleLock(path, found)
    }
  } finally {
    await rm(candidate, { force: true })
  }
  return {
    async release() {
      if ((await readIfExists(path)) === content) await rm(path, { force: true })
    },
  }
}

/** Removes what processes that were killed while they took the lock at `path` left beside it. */
export async function removeAbandonedCandidates(path: string): Promise<void> {
  const beginning = `${basename(path)}.`
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(beginning)) continue
    const candidate = join(dirname(path), name)
    const owner = ownerOf((await readIfExists(candidate)) ?? '')
    if (owner && !isRunning(owner)) await rm(candidate, { force: true })
  }
}

async function removeStaleLock(path: string, found: string): Promise<void> {
  const guardPath = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`
  let guard: ProcessLock
  try {
    guard = await acquireLock(guardPath)
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error
    await sleep(20)
    return
  }
  try {
    if ((await readIfExists(path)) === found) await rm(path, { force: true })
  } finally {
    await guard.release()
  }
}

async function tryLink(candidate: string, path: string): Promise<boolean> {
  try {
    await link(candidate, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Returns the owner of a lock. A lock that cannot be read (a power cut before its content reached the disk) has none.
 */
function ownerOf(content: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(content) as Partial<ProcessIdentity>
    return Number.isInteger(pid) ? { pid: pid as number, started: String(started ?? '') } : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the start time of a process, undefined when there is none. Clock ticks since boot repeat after a reboot, so
 * the boot's id is part of it.
 */
function startTimeOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return startTimeByPs(pid)
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command's name, in parentheses, may contain spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return `${bootId()}/${fields[19]}`
  } catch {
    return isSignallable(pid) ? '' : undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function startTimeByPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '')
  } catch {
    return isSignallable(pid) ? '' : undefined
  }
}

function isSignallable(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
