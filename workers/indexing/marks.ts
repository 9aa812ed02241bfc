import { announceMark, confirmMark, recordMade } from '../../store/indexing/index-marks.js'
import type { Store } from '../../store/store.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/**
 * Lets a mark stand this long while changes are written: a copy of the index that is put back in its place is told from it once a batch
 * has settled that began more than this long after the copy was taken.
 */
const MARK_MS = 250

interface Marking {
  /** Time at which the mark was announced that was confirmed last, by `performance.now()`, or a little earlier. */
  announcedAt: number
  /** The move to the next one, if one is under way. */
  moving: Promise<boolean> | null
}
const markings = new WeakMap<IndexTarget['index'], Marking>()

/**
 * Resolves once Postgres and the index both have a mark that covers a batch that begins now (store/indexing/index-marks.md), to
 * false when the index has another one: then nothing of the batch may settle. Batches of one process share a move.
 */
export async function coverWithMark(context: JobContext, target: IndexTarget): Promise<boolean> {
  const begunAt = performance.now()
  const marking = markings.get(target.index) ?? { announcedAt: -Infinity, moving: null }
  markings.set(target.index, marking)
  // A mark that somebody left unconfirmed long ago, and that a copy may have by now, is confirmed first; then comes another.
  while (begunAt - marking.announcedAt >= MARK_MS) {
    marking.moving ??= moveMark(context, target, marking).finally(() => (marking.moving = null))
    if (!(await marking.moving)) return false
  }
  return true
}

/** Places and confirms the mark that is announced. One that other processes have moved past meanwhile is no fault. */
async function moveMark({ store }: JobContext, { buildId, index }: IndexTarget, marking: Marking): Promise<boolean> {
  for (let refused: string | null = null; ;) {
    const askedAt = performance.now()
    const announced = await store.asSystem((system) => announceMark(system, buildId, { everyMs: MARK_MS }))
    const { known, next, ageMs } = announced ?? { known: [], next: null, ageMs: 0 }
    if (next !== null && next === refused) return false
    if (next !== null && !(await index.remark(known, next))) {
      refused = next
      continue
    }
    if (next !== null) await store.asSystem((system) => confirmMark(system, buildId, next))
    marking.announcedAt = askedAt - (ageMs ?? Infinity)
    return true
  }
}

/** Creates the index of a build that never had one. Safe in many processes at once: its first mark is the build's id. */
export async function makeIndex(store: Store, { buildId, index }: IndexTarget): Promise<void> {
  await index.make(buildId)
  await store.asSystem((system) => recordMade(system, buildId))
}
