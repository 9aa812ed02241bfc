import { setTimeout as sleep } from 'node:timers/promises'
import { readMarks } from '../../store/indexing/index-marks.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/** Looks that must find the same. */
const CHECKS = 3
const CHECK_PAUSE_MS = 300

/**
 * Returns why the index is not the one that Postgres knows, or null. Throws `UnavailableError` when nobody can tell. Between Postgres' answer
 * and an engine's that has much to do the mark may have moved on several times. It moves only in an index that has it: one whose mark
 * was confirmed meanwhile is the one that Postgres knows.
 */
export async function findFault(
  { store }: Pick<JobContext, 'store'>,
  { buildId, index }: Pick<IndexTarget, 'buildId' | 'index'>,
  signal: AbortSignal,
): Promise<string | null> {
  const read = () => store.asSystem((system) => readMarks(system, buildId))
  let fault: string | null = null
  for (let checks = 0; checks < CHECKS; checks++) {
    if (checks > 0) await sleep(CHECK_PAUSE_MS, undefined, { signal })
    const before = await read()
    const marks = await index.marks()
    const after = await read()
    // Somebody has found out, or has given it up.
    if (!after.isWhole) return null
    if (before.marks[0] !== after.marks[0]) return null
    fault = describeFault(after.marks, marks)
    if (fault === null) return null
  }
  return fault
}

function describeFault(known: readonly string[], marks: readonly string[] | null): string | null {
  if (marks === null) return 'the index is missing'
  if (marks.every((mark) => known.includes(mark))) return null
  return marks.includes('')
    ? 'the index was emptied or replaced'
    : 'the index and the database are from different points in time'
}
