import { type AnnouncedMark, announceMark, confirmMark, recordMade } from '../../store/indexing/index-marks.js'
import type { Store } from '../../store/store.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/**
 * Lets a mark stand this long while changes are written: a copy of the index that is put back in its place is told from it by what
 * was written more than this long after the copy was taken.
 */
const MARK_MS = 250

/** When this process last announced a mark of an index: sooner there is no need to ask Postgres. */
const announcedAt = new WeakMap<IndexTarget['index'], number>()

/** Null when no new mark is due. What is written with it settles only once it is confirmed (store/README.md, "Whether an index is whole"). */
export async function announce({ store }: JobContext, { buildId, index }: IndexTarget): Promise<AnnouncedMark | null> {
  const now = performance.now()
  if (now - (announcedAt.get(index) ?? -Infinity) < MARK_MS) return null
  const announced = await store.asSystem((system) => announceMark(system, buildId, { everyMs: MARK_MS }))
  announcedAt.set(index, now)
  return announced
}

export function confirm({ store }: JobContext, { buildId }: IndexTarget, { next }: AnnouncedMark): Promise<void> {
  return store.asSystem((system) => confirmMark(system, buildId, next))
}

/** Makes the index of a build that never had one. Safe in many processes at once: its first mark is the build's id. */
export async function makeIndex(store: Store, { buildId, index }: IndexTarget): Promise<void> {
  await index.make(buildId)
  await store.asSystem((system) => recordMade(system, buildId))
}
