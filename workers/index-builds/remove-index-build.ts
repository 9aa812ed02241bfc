import {
  endRemoval,
  claimBuild,
  FIRST_KEYS,
  releaseBuild,
  type ModelKey,
  purgeModel,
} from '../../store/indexing/index-backfill.js'
import type { JobContext } from '../context.js'
import { describeFailure } from '../failures.js'

const LIMIT = 2_000

/** Deletes an index that was dropped, and the vectors and analysed texts of its model when no other index has that model. */
export async function removeIndexBuild({ store, indexes, logger }: JobContext, signal: AbortSignal): Promise<void> {
  const build = await store.asSystem((system) => claimBuild(system, 'remove'))
  if (build === null) return
  let blockedBy: string | null = null
  try {
    await indexes.remove(build)
    for (const first of FIRST_KEYS)
      for (let after: ModelKey | null = first; after !== null;) {
        if (signal.aborted) return
        const from: ModelKey = after
        after = await store.asSystem((system) => purgeModel(system, build, from, LIMIT))
      }
    await store.asSystem((system) => endRemoval(system, build))
    logger.info({ build: build.id, model: build.model }, 'a dropped index was removed')
  } catch (error) {
    blockedBy = describeFailure(error)
    throw error
  } finally {
    await store.asSystem((system) => releaseBuild(system, build, blockedBy))
  }
}
