import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { Worker } from 'node:worker_threads'

/** Milliseconds of a tick in /proc: Linux counts 100 a second for every process. */
const TICK_MS = 10
/** Milliseconds of the wall that count as one of the processor where the system does not tell the thread's own time. */
const WALL_MS = 10

/** Returns the number by which Linux knows the calling thread; null on another system. */
export function ownThreadId(): string | null {
  try {
    return basename(readlinkSync('/proc/thread-self'))
  } catch {
    return null
  }
}

/**
 * Returns the milliseconds for which a thread has had a processor. A thread that waits for its turn on a busy machine has
 * none, and neither has one that sleeps. `threadId` is what `ownThreadId` returned in the thread. Without it the function
 * returns a tenth of the time for which the thread's event loop was busy, turns of others included.
 */
export function cpuTimeOf(worker: Worker, threadId: string | null): number {
  if (threadId === null) return worker.performance.eventLoopUtilization().active / WALL_MS
  return ticksOf(threadId) * TICK_MS
}

/** Returns the ticks of a thread in its own code and in the system's, fields 14 and 15 of proc(5) stat; 0 when it has ended. */
function ticksOf(threadId: string): number {
  try {
    const stat = readFileSync(`/proc/self/task/${threadId}/stat`, 'latin1')
    // The second field is the command in parentheses, which may have spaces.
    const [own, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return Number(own) + Number(system)
  } catch {
    return 0
  }
}

/** A look at a thread's time costs 20 µs. */
const SHORTEST_LOOK_MS = 20

/**
 * Calls `exhaust` once a thread has had the processor for longer than this from now on, or from when its time is known. `used` returns the
 * milliseconds that it has had, null while they are not known.
 */
export function atCpuLimit(used: () => number | null, cpuMs: number, exhaust: () => void): { stop(): void } {
  let before = used()
  let timer: NodeJS.Timeout
  // A thread cannot have the processor for longer than the time that has passed: it is looked at when it could have.
  const lookAfter = (ms: number) => (timer = setTimeout(look, Math.max(ms, SHORTEST_LOOK_MS)).unref())
  function look(): void {
    const now = used()
    before ??= now
    const left = cpuMs - ((now ?? 0) - (before ?? 0))
    if (left > 0) lookAfter(left)
    else exhaust()
  }
  lookAfter(cpuMs)
  return { stop: () => clearTimeout(timer) }
}
