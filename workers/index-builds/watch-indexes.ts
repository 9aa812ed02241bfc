import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { UnavailableError } from '../../runtime/errors.js'
import type { SearchIndex } from '../../search/search-index.js'
import { listLiveBuilds, type IndexBuild, takesChanges } from '../../store/indexing/index-builds.js'
import { markBuildLost, recoverServing } from '../../store/indexing/index-marks.js'
import { beginSuccessor } from '../../store/indexing/successor-builds.js'
import type { IndexTarget, JobContext } from '../context.js'
import { makeIndex } from '../indexing/write-index.js'
import { findForeignMark, findShortfall } from './check-index.js'

/**
 * Checks that each index exists and is complete, records in PostgreSQL when one is not, and arranges the replacement of
 * the serving one (store/indexing/index-marks.md). Any number of processes may find the same: the rows
 * of the builds decide.
 */
export async function watchIndexes(context: JobContext, signal: AbortSignal): Promise<void> {
  const builds = await context.store.asSystem(listLiveBuilds)
  const failures: unknown[] = []
  for (const build of builds) {
    if (signal.aborted) return
    // Continues: an engine that says nothing about one index must not keep another from being replaced.
    await watchBuild(context, build, signal).catch((error: unknown) => failures.push(error))
  }
  if (signal.aborted) return
  await replaceLost(context)
  if (failures.length > 0) throw failures[0]
  await beginSuccessorBuild(context)
}

/** Creates the first index if that is left to do; records an index that is lost, or that holds too little. */
async function watchBuild(context: JobContext, build: IndexBuild, signal: AbortSignal): Promise<void> {
  const { store, indexes, logger } = context
  const isFirst = build.state === 'serving' && build.madeAt === null && build.lostAt === null
  if (isFirst) return makeIndex(store, await indexes.open(build))
  if (!takesChanges(build)) return
  const target = await indexes.open(build)
  let fault = await findLoss(context, target, signal)
  if (fault === null && build.state === 'serving') fault = await findShortfall(context, target, signal)
  if (fault === null) return
  const reason = fault
  if (await store.asSystem((system) => markBuildLost(system, build.id, reason)))
    logger.error({ build: build.id, state: build.state, reason }, 'an index is incomplete')
}

/**
 * Milliseconds without a copy of a shard on any node after which the index is lost. Nodes that restart bring their
 * copies back within this: it is how long OpenSearch itself waits for a node that left before it copies its shards anew
 * (`index.unassigned.node_left.delayed_timeout`).
 */
const COPY_MS = 60_000

/** Time, by the clock, since which every check has found a shard of this index without a copy. */
const withoutCopySince = new WeakMap<SearchIndex, number>()

/**
 * Returns why the index is lost, or null. Throws `UnavailableError` when nobody can tell, or a shard may still come
 * back.
 */
async function findLoss(context: JobContext, target: IndexTarget, signal: AbortSignal): Promise<string | null> {
  const { index } = target
  try {
    const fault = await findForeignMark(context, target, signal)
    withoutCopySince.delete(index)
    return fault
  } catch (error) {
    const lacksCopy = error instanceof UnavailableError && error.reason === 'incomplete'
    const now = context.clock.now()
    const since = lacksCopy ? (withoutCopySince.get(index) ?? now) : null
    if (since === null) withoutCopySince.delete(index)
    else withoutCopySince.set(index, since)
    if (since === null || now - since < COPY_MS) throw error
    return 'a shard has had no copy for a minute'
  }
}

async function replaceLost({ store, logger, indexes }: JobContext): Promise<void> {
  const recovery = await store.asSystem((system) => recoverServing(system, newBuild(), indexes.successor))
  if (recovery === null) return
  const { begun, dropped } = recovery
  if (dropped) logger.warn({ build: dropped.id, model: dropped.model }, 'gives way to one that replaces the lost index')
  logger.warn({ build: begun.id, model: begun.model }, 'another index takes the place of the lost one')
}

/** Begins the index of the successor, after the serving one was found to be whole: what replaces a lost one comes first. */
async function beginSuccessorBuild({ store, logger, indexes }: JobContext): Promise<void> {
  const { successor } = indexes
  if (successor === null) return
  const begun = await store.asSystem((system) => beginSuccessor(system, successor, newBuild()))
  if (begun === null) return
  const facts = { build: begun.id, model: begun.model, after: indexes.serving().embedder.id }
  logger.info(
    facts,
    'an index with vectors of the new built-in model is being built, and serves when it is ready; `cairn embed back` returns to the former one, and EMBEDDINGS_MODEL=builtin:en keeps it',
  )
}

const newBuild = () => ({ id: uuidv7(), generation: randomBytes(4).toString('hex') })
