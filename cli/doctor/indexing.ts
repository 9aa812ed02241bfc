import type { Config } from '../../runtime/config.js'
import { UnavailableError } from '../../runtime/errors.js'
import { createLogger } from '../../runtime/logger.js'
import { takesChanges, findServingBuild } from '../../store/indexing/index-builds.js'
import { readCounts } from '../../store/indexing/index-counts.js'
import { findForeignMark } from '../../workers/index-builds/check-index.js'
import { createIndex, createStore } from '../../app/compose-parts.js'
import { hasSettledLately, readIndexingState } from '../../store/outbox/outbox-upkeep.js'
import { listPendingMigrations } from '../../store/migrate.js'
import type { Store } from '../../store/store.js'
import { check, ok, skipped, warning, wrong, type Finding } from './check.js'

/**
 * Checks that the serving index exists and is the one that PostgreSQL knows, and reports how much it held at the last
 * count.
 */
export function checkIndex(config: Config): Promise<Finding> {
  return checkByStore('index', config, async (store) => {
    const build = await store.asSystem(findServingBuild)
    if (build === null) return skipped('none yet: the first start creates it')
    if (!takesChanges(build))
      return wrong(
        `${build.error ?? 'not created yet'}: a worker with the indexing queue builds another, see \`cairn index status\``,
      )
    if (config.search.opensearchUrl !== null) {
      const index = createIndex(config, null, build, { logger: SILENT })
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
  })
}

/** Age of a change that a worker at rest has long indexed. */
const OLD_CHANGE_S = 30
/** The alert CairnIndexLagging, in seconds. */
const LAGGING_S = 300

/** Checks that changes reach the index, which they do while a worker with the indexing queue runs. */
export function checkIndexing(config: Config): Promise<Finding> {
  return checkByStore('indexing', config, async (store) => {
    const { pending, oldestAgeS, failed, isMoving } = await store.asSystem(async (system) => ({
      ...(await readIndexingState(system)),
      isMoving: await hasSettledLately(system),
    }))
    const age = Math.round(oldestAgeS ?? 0)
    const waiting = `${pending} not in the index yet, the oldest of them changed ${age} s ago`
    if (age > OLD_CHANGE_S && !isMoving)
      return wrong(
        `${waiting}, and nothing has reached it lately: start a worker with the indexing queue, or see in its log why it does not index`,
      )
    if (age > LAGGING_S) return warning(`${waiting}: add workers with the indexing queue, or see what slows them down`)
    if (failed > 0)
      return warning(`${failed} rows failed: see a worker's log for the reason, then run \`cairn index retry\``)
    return ok(pending === 0 ? 'everything is in the index' : waiting)
  })
}

const SILENT = createLogger('silent')

function checkByStore(
  name: string,
  config: Config,
  work: (store: Store) => Promise<Omit<Finding, 'name'>>,
): Promise<Finding> {
  return check(name, async () => {
    if (config.postgres.url === null) return skipped('checked by the service: see /api/v1/health')
    const store = createStore(config, config.postgres.url, SILENT)
    try {
      return await work(store)
    } catch (error) {
      if (error instanceof UnavailableError) return skipped(`unknown while ${error.dependency} is unavailable`)
      // What a database without its tables and roles answers says nothing: the check of PostgreSQL says what to do.
      const missing = await listPendingMigrations(config.postgres.url).catch(() => [])
      if (missing.length > 0) return skipped('asked once the database is migrated')
      throw error
    } finally {
      await store.stop()
    }
  })
}
