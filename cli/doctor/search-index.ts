import type { Config } from '../../runtime/config.js'
import { UnavailableError } from '../../runtime/errors.js'
import { createLogger } from '../../runtime/logger.js'
import { takesChanges, servingBuild } from '../../store/indexing/index-builds.js'
import { readCounts } from '../../store/indexing/index-counts.js'
import { faultOf } from '../../workers/indexing/watch-marks.js'
import { createIndex, createStore } from '../compose-parts.js'
import { check, ok, skipped, wrong, type Finding } from './check.js'

/** Looks whether the serving index is there and is the one that PostgreSQL knows, and tells how much it held when it was last counted. */
export function checkIndex(config: Config): Promise<Finding> {
  return check('index', async () => {
    const { postgres, search } = config
    if (postgres.url === null) return skipped('looked after by the service: see /api/v1/health')
    const logger = createLogger('silent')
    const store = createStore(config, postgres.url, logger)
    try {
      const build = await store.asSystem(servingBuild)
      if (build === null) return skipped('none yet: the first start makes it')
      if (!takesChanges(build))
        return wrong(
          `${build.error ?? 'not made yet'}: a worker with the indexing queue fills another, see \`cairn index status\``,
        )
      if (search.opensearchUrl !== null) {
        const index = createIndex(config, null, build, { logger })
        const target = { buildId: build.id, index }
        const fault = await faultOf({ store }, target, new AbortController().signal).finally(() => index.stop())
        if (fault !== null) return wrong(`${fault}: start a worker with the indexing queue, which fills another`)
      }
      const counts = await store.asSystem((system) => readCounts(system, build.id))
      if (counts === null) return ok('whole, not counted yet')
      const { memories, documents } = counts
      return ok(
        `whole; at the last count ${memories.documents} of ${memories.rows} memories, ${documents.documents} of ${documents.rows} documents`,
      )
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      return skipped(`nobody can tell while ${error.dependency} is away`)
    } finally {
      await store.stop()
    }
  })
}
