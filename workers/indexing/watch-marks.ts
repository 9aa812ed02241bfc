import { setTimeout as sleep } from 'node:timers/promises'
import { readMarks } from '../../store/indexing/index-marks.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/** Looks that must find the same: a mark may move between Postgres' answer and the engine's, and never does so each time. */
const LOOKS = 3
const PAUSE_MS = 300

/** Returns why the index is not the one that Postgres knows, or null. Throws `UnavailableError` when nobody can tell. */
export async function faultOf(
  { store }: Pick<JobContext, 'store'>,
  { buildId, index }: Pick<IndexTarget, 'buildId' | 'index'>,
  signal: AbortSignal,
): Promise<string | null> {
  let fault: string | null = null
  for (let looks = 0; looks < LOOKS; looks++) {
    if (looks > 0) await sleep(PAUSE_MS, undefined, { signal })
    const { marks: known, isWhole } = await store.asSystem((system) => readMarks(system, buildId))
    // Somebody has found out, or has given it up.
    if (!isWhole) return null
    fault = describe(known, await index.marks())
    if (fault === null) return null
  }
  return fault
}

function describe(known: readonly string[], marks: readonly string[] | null): string | null {
  if (marks === null) return 'the index is missing'
  if (marks.every((mark) => known.includes(mark))) return null
  return marks.includes('') ? 'the index was emptied or replaced' : 'the index is of another time than the database'
}
