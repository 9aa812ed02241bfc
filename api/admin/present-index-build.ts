import { NotFoundError } from '../../runtime/errors.js'
import { findBuild, type IndexBuild } from '../../store/indexing/index-builds.js'
import { readProgress, type BuildProgress } from '../../store/indexing/index-progress.js'
import type { System } from '../../store/store.js'
import type { components } from '../../contract/types.js'

type IndexBuildRecord = components['schemas']['IndexBuild']

/** Returns the contract's records of index builds. */
export async function presentBuilds(system: System, builds: readonly IndexBuild[]): Promise<IndexBuildRecord[]> {
  const progress = await readProgress(system, builds.filter(hasProgress))
  return builds.map((build) => presentBuild(build, progress.get(build.id) ?? null))
}

/** Returns the contract's record of one index build. Throws 404 when there is none. */
export async function readBuild(system: System, id: string): Promise<IndexBuildRecord> {
  const build = await findBuild(system, id)
  if (build === null) throw new NotFoundError('Index build')
  const [record] = await presentBuilds(system, [build])
  return record!
}

/** Returns false for a dropped build, which has no index any more, and for the first index, which was never backfilled. */
function hasProgress({ state, readyAt }: IndexBuild): boolean {
  return readyAt === null
    ? ['waiting', 'backfilling', 'failed'].includes(state)
    : !['dropping', 'dropped'].includes(state)
}

function presentBuild(build: IndexBuild, progress: BuildProgress | null): IndexBuildRecord {
  return {
    build_id: build.id,
    model: build.model,
    dimensions: build.dimensions,
    state: build.state,
    auto_switch: build.autoSwitch,
    error: build.error,
    progress: progress && {
      tenants: progress.tenants,
      tenants_done: progress.tenantsDone,
      memories: progress.memories,
      memories_done: progress.memoriesDone,
      documents: progress.documents,
      documents_done: progress.documentsDone,
    },
    created_at: build.createdAt.toISOString(),
    lost_at: build.lostAt?.toISOString() ?? null,
    ready_at: build.readyAt?.toISOString() ?? null,
    switched_at: build.switchedAt?.toISOString() ?? null,
    dropped_at: build.droppedAt?.toISOString() ?? null,
  }
}
