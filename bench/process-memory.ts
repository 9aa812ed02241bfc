import { readFileSync } from 'node:fs'
import { descendantsOf } from './process-cpu.js'

/** Kilobytes, as /proc says them. */
export interface ProcessMemory {
  readonly resident: number
  /** Resident memory of no file: heaps, buffers, stacks. */
  readonly anonymous: number
}

/** Returns the memory of one process. Throws where there is no /proc, or when it has ended. */
export function readProcessMemory(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return { resident: valueOf(text, 'VmRSS'), anonymous: valueOf(text, 'RssAnon') }
}

/** Returns the kilobytes of all descendants of a process; a page that several share counts once. */
export function readMemoryOfDescendants(pid: number): number {
  let sum = 0
  for (const descendant of descendantsOf(pid)) {
    try {
      sum += valueOf(readFileSync(`/proc/${descendant}/smaps_rollup`, 'utf8'), 'Pss')
    } catch {
      // It ended meanwhile.
    }
  }
  return sum
}

function valueOf(text: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)
  if (found === null) throw new Error(`/proc does not say ${name}`)
  return Number(found[1])
}
