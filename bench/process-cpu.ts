import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Processes to account for: the root of each tree by the name of its row. */
export type ProcessRoots = Readonly<Record<string, number>>

/** Milliseconds of CPU by the name of the root, since the processes began. */
export type CpuTimes = Readonly<Record<string, number>>

interface ProcessStat {
  readonly parent: number
  /** Clock ticks of the process itself, and of children that have ended and were waited for. */
  readonly ticks: number
}

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own clock is. */
const MS_PER_TICK = 10

/**
 * Returns the CPU time of each root with all its descendants, from /proc. A tree that contains another root includes
 * it. Throws where there is no /proc, or when a root has ended.
 */
export function readCpuTimes(roots: ProcessRoots): CpuTimes {
  const stats = readStats()
  const children = new Map<number, number[]>()
  for (const [pid, { parent }] of stats) children.set(parent, [...(children.get(parent) ?? []), pid])
  const ticksOf = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + ticksOf(child), stats.get(pid)!.ticks)
  return Object.fromEntries(
    Object.entries(roots).map(([name, pid]) => {
      if (!stats.has(pid)) throw new Error(`the process ${pid} (${name}) has ended`)
      return [name, ticksOf(pid) * MS_PER_TICK]
    }),
  )
}

/** Returns the processes below one, without it. */
export function descendantsOf(root: number): number[] {
  const stats = readStats()
  const childrenOf = (parent: number): number[] =>
    [...stats].filter(([, stat]) => stat.parent === parent).flatMap(([pid]) => [pid, ...childrenOf(pid)])
  return childrenOf(root)
}

/** Returns what was used between two reads, by name. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]))
}

function readStats(): Map<number, ProcessStat> {
  const stats = new Map<number, ProcessStat>()
  for (const pid of processIds()) {
    const stat = whileItRuns(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    if (stat === null) continue
    // The name of the program stands in parentheses and may contain any character: the fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    stats.set(pid, { parent: Number(fields[1]), ticks })
  }
  return stats
}

/** Returns the process that listens on a port of this machine. Throws when none does that this user may look at. */
export function findListener(port: number): number {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((family) => listeningSockets(family, port)))
  const found = processIds().find((pid) => {
    const open = whileItRuns(() => readdirSync(`/proc/${pid}/fd`)) ?? []
    return open.some((fd) => sockets.has(whileItRuns(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? ''))
  })
  if (found === undefined)
    throw new Error(`no process that this user may look at listens on port ${port} of this machine`)
  return found
}

const LISTENING = '0A'

function listeningSockets(family: string, port: number): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const rows =
    whileItRuns(() => readFileSync(`/proc/net/${family}`, 'utf8'))
      ?.trim()
      .split('\n')
      .slice(1) ?? []
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/)
    return local?.endsWith(`:${hexPort}`) && state === LISTENING ? [`socket:[${inode}]`] : []
  })
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

/** Returns null where the process ended meanwhile, or belongs to another user. */
function whileItRuns<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
