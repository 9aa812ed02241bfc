import { claimBuild, releaseBuild, renewBuild, startBackfill } from '../../store/indexing/index-backfill.js'
import { backfillIndex } from '../indexing/backfill-index.js'
import { makeIndex } from '../indexing/marks.js'
import { describeFailure } from '../isolate.js'
import type { Chore } from '../jobs.js'

/** A third of the lease. */
const RENEW_MS = 5_000

/**
 * Creates and fills the index that is being built, in whichever process claims it; another process continues what one
 * leaves unfinished.
 */
export const fillIndexBuild: Chore = {
  queue: 'indexing',
  everyMs: 1_000,
  async run(context, signal) {
    const { store, options, indexes } = context
    const build = await store.asSystem((system) => claimBuild(system, 'fill'))
    if (build === null) return
    let blockedBy: string | null = null
    // A page may take longer than the lease; a lost lease is noticed when the cursor is saved.
    const renewal = setInterval(
      () => void store.asSystem((system) => renewBuild(system, build)).catch(() => undefined),
      RENEW_MS,
    ).unref()
    try {
      const target = await indexes.open(build)
      if (build.madeAt === null) await makeIndex(store, target)
      if (!(await store.asSystem((system) => startBackfill(system, build, options.leaseMs)))) return
      blockedBy = await backfillIndex({ context, build, target, signal })
    } catch (error) {
      blockedBy = describeFailure(error)
      throw error
    } finally {
      clearInterval(renewal)
      await store.asSystem((system) => releaseBuild(system, build, blockedBy))
    }
  },
}
