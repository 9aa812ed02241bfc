import { lock, LOCKS } from '../locks.js'
import type { System } from '../store.js'
import { beginBuild, type IndexBuild, listLiveBuilds, type NewIndexBuild, takesChanges } from './index-builds.js'

/** A model that takes the place of others by itself, since its vectors cost next to nothing and no other service is asked. */
export interface SuccessorModel {
  readonly model: string
  readonly dimensions: number
  /** The models whose place it takes. */
  readonly after: readonly string[]
}

/**
 * Begins an index of the successor, which serves as soon as it is ready, beside a whole index of a model before it. It
 * does so once in the life of a database: an operator may drop it, or switch back. An index that is being built or kept
 * is the operator's, and stays. Returns null when there is nothing to begin.
 */
export async function beginSuccessor(
  system: System,
  successor: SuccessorModel,
  fresh: Pick<NewIndexBuild, 'id' | 'generation'>,
): Promise<IndexBuild | null> {
  await lock(system.db, LOCKS.indexBuilds)
  const [serving, ...others] = await listLiveBuilds(system)
  if (serving?.state !== 'serving' || !takesChanges(serving) || others.length > 0) return null
  if (!(await takesPlaceOf(system, successor, serving.model))) return null
  const { model, dimensions } = successor
  return beginBuild(system, { ...fresh, model, dimensions, autoSwitch: true })
}

/** Returns whether the successor is to take the place of a model: no index has ever had the successor's vectors. */
export async function takesPlaceOf({ db }: System, successor: SuccessorModel, model: string): Promise<boolean> {
  if (!successor.after.includes(model)) return false
  const before = await db
    .selectFrom('index_builds')
    .select('id')
    .where('model', '=', successor.model)
    .executeTakeFirst()
  return before === undefined
}
