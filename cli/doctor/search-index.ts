import type { Config } from '../../runtime/config.js'
import { UnavailableError } from '../../runtime/errors.js'
import { createLogger } from '../../runtime/logger.js'
import { takesChanges, findServingBuild } from '../../store/indexing/index-builds.js'
import { readCounts } from '../../store/indexing/index-counts.js'
import { findForeignMark } from '../../workers/index-builds/check-index.js'
import { createIndex, createStore } from '../../app/compose-parts.js'
import { check, ok, skipped, wrong, type Finding } from './check.js'

/**
 * Checks that the serving index exists and is the one that PostgreSQL knows, and reports how much it held at the last
 * count.
 */
export function checkIndex(config: Config): Promise<Finding> {
  return check('index', async () => {
    const { postgres, search } = config
    if (postgres.url === null) return skipped('checked by the service: see /api/v1/health')
    const logger = createLogger('silent')
    const store = createStore(config, postgres.url, logger)
    try {
      const build = await store.asSystem(findServingBuild)
      if (build === null) return skipped('none yet: the first start creates it')
      if (!takesChanges(build))
        return wrong(
          `${build.error ?? 'not created yet'}: a worker with the indexing queue builds another, see \`cairn index status\``,
        )
      if (search.opensearchUrl !== null) {
        const index = createIndex(config, null, build, { logger })
        const target = { buildId: build.id, index }
        const fault = await findForeignMark({ store }, target, new AbortController().signal).finally(() => index.stop())
        if (fault !== null) return wrong(`${fault}: start a worker with the indexing queue, which builds another`)
      }
      const counts = await store.asSystem((system) => readCounts(system, build.id))
      if (counts === null) return ok('complete, not counted yet')
      const { memories, documents } = counts
      return ok(
        `complete; at the last count ${memories.documents} of ${memories.rows} memories, ${documents.documents} of ${documents.rows} documents`,
      )
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      return skipped(`unknown while ${error.dependency} is unavailable`)
    } finally {
      await store.stop()
    }
  })
}
