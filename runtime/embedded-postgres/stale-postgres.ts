import { execFileSync } from 'node:child_process'
import { readFile, readdir, readlink, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, identify, type ProcessIdentity } from '../process-lock.js'

/**
 * Shuts down any PostgreSQL that still runs on this folder: the server of a service that was killed, and backends that
 * outlive a killed server. Two servers on one folder destroy it, so this returns only once nothing is left, and throws
 * when a process stays. Only the holder of the data directory may call it.
 *
 * PostgreSQL's processes are recognised by their name and by their working directory, which is the folder; a pid alone,
 * from a file that outlived a reboot, may belong to any process.
 */
export async function shutDownStalePostgres(databaseDirectory: string): Promise<'none' | 'taken-down'> {
  const server = await serverOf(databaseDirectory)
  const stale = await processesOn(databaseDirectory, server)
  if (server && stale.some(({ pid }) => pid === server.pid)) await endServer(server)
  const orphans = await processesOn(databaseDirectory, server)
  if (!(await haveEnded(orphans, 5_000))) {
    for (const orphan of orphans) signal(orphan, 'SIGKILL')
    if (!(await haveEnded(orphans, 10_000))) {
      const pids = orphans.filter(isRunning).map(({ pid }) => pid)
      throw new Error(`PostgreSQL still runs on ${databaseDirectory} (process ${pids.join(', ')}) and does not end.`)
    }
  }
  // All working directories have been read, so no process can still be using the folder, and a pid in the file that
  // belongs to another process by now must not prevent the start. On other systems the server's own check decides.
  if (process.platform === 'linux') await rm(join(databaseDirectory, 'postmaster.pid'), { force: true })
  return stale.length > 0 ? 'taken-down' : 'none'
}

/**
 * Signals and milliseconds to wait after each: fast shutdown, then the immediate one (which recovers at the next
 * start), then SIGKILL.
 */
export const SHUTDOWN_STEPS = [
  { signal: 'SIGINT', limit: 30_000 },
  { signal: 'SIGQUIT', limit: 5_000 },
  { signal: 'SIGKILL', limit: 5_000 },
] as const

async function endServer(server: ProcessIdentity): Promise<void> {
  for (const step of SHUTDOWN_STEPS) {
    signal(server, step.signal)
    if (await haveEnded([server], step.limit)) return
  }
}

/** Returns the server named in line 1 of postmaster.pid, undefined when it does not run. */
async function serverOf(databaseDirectory: string): Promise<ProcessIdentity | undefined> {
  const content = await readFile(join(databaseDirectory, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(content, 10)
  return pid > 1 ? identify(pid) : undefined
}

async function processesOn(databaseDirectory: string, server: ProcessIdentity | undefined): Promise<ProcessIdentity[]> {
  if (process.platform !== 'linux') return server && commandOf(server.pid).includes(databaseDirectory) ? [server] : []
  const folder = await realpath(databaseDirectory)
  const found: ProcessIdentity[] = []
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) continue
    const identity = identify(pid)
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (identity && name.trim() === 'postgres' && (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === folder) {
      found.push(identity)
    }
  }
  return found
}

/** Returns the command line of a process; the server was started with the folder as its -D. */
function commandOf(pid: number): string {
  try {
    return execFileSync('/bin/ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

function signal({ pid, started }: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    if (isRunning({ pid, started })) process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function haveEnded(processes: readonly ProcessIdentity[], limit: number): Promise<boolean> {
  const deadline = Date.now() + limit
  while (processes.some(isRunning)) {
    if (Date.now() > deadline) return false
    await sleep(50)
  }
  return true
}
