import { sql } from 'kysely'
import { ConflictError } from '../../runtime/errors.js'
import { lock, LOCKS } from '../locks.js'
import type { BuildState } from '../schema.js'
import type { Keyset } from '../keyset.js'
import type { System } from '../store.js'

/** One search index: serving, being built, kept for switching back, or removed (index-builds.md). */
export interface IndexBuild {
  readonly id: string
  /** `Embedder.id` of its vectors. */
  readonly model: string
  readonly dimensions: number
  /** Suffix of the engine's index name: no two builds of any database share one. */
  readonly generation: string
  readonly state: BuildState
  /** True when the index is switched to as soon as it is ready. */
  readonly autoSwitch: boolean
  /** Why the build waits or failed. */
  readonly error: string | null
  readonly createdAt: Date
  /** Time at which the index was created; from then on it takes every change. */
  readonly madeAt: Date | null
  /** Time at which the index was found to be incomplete; from then on it takes no changes, and another replaces it. */
  readonly lostAt: Date | null
  readonly readyAt: Date | null
  readonly switchedAt: Date | null
  readonly droppedAt: Date | null
}

export type NewIndexBuild = Pick<IndexBuild, 'id' | 'model' | 'dimensions' | 'generation' | 'autoSwitch'>

const COLUMNS = sql`id, model, dimensions, generation, state, auto_switch as "autoSwitch", error, created_at as "createdAt",
  made_at as "madeAt", lost_at as "lostAt", ready_at as "readyAt", switched_at as "switchedAt", dropped_at as "droppedAt"`

/** States of indices that are in use, or will be. */
const LIVE_STATES = sql`('waiting', 'backfilling', 'ready', 'serving', 'kept')`

/** Returns the indices that serve, are being built or are kept; the serving one first. */
export async function listLiveBuilds({ db }: System): Promise<IndexBuild[]> {
  const { rows } = await sql<IndexBuild>`
    select ${COLUMNS} from index_builds where state in ${LIVE_STATES} order by state = 'serving' desc`.execute(db)
  return rows
}

/** Returns the serving build, or null in a database that no process has started with yet. */
export async function findServingBuild(system: System): Promise<IndexBuild | null> {
  const [first] = await listLiveBuilds(system)
  return first?.state === 'serving' ? first : null
}

/** Returns true when every change is written to the index of a live build. */
export function takesChanges({ madeAt, lostAt }: IndexBuild): boolean {
  return madeAt !== null && lostAt === null
}

/** Returns the builds that do not serve yet: those being filled or ready, and those that failed until another begins. */
export async function listUnfinishedBuilds({ db }: System): Promise<IndexBuild[]> {
  const { rows } = await sql<IndexBuild>`
    select ${COLUMNS} from index_builds where state in ('waiting', 'backfilling', 'ready', 'failed')`.execute(db)
  return rows
}

export async function findBuild({ db }: System, id: string): Promise<IndexBuild | null> {
  const { rows } = await sql<IndexBuild>`select ${COLUMNS} from index_builds where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Lists builds, newest first, after the build with this id. */
export async function listBuilds({ db }: System, { after, limit }: Keyset<string>): Promise<IndexBuild[]> {
  const { rows } = await sql<IndexBuild>`
    select ${COLUMNS} from index_builds
    where ${after ?? null}::uuid is null
      or (created_at, id) < (select created_at, id from index_builds where id = ${after ?? null}::uuid)
    order by created_at desc, id desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Records the first index of a database, which serves at once, and is complete while there is nothing to index. When
 * many processes start together, one of them records it.
 */
export async function recordFirstBuild(
  { db }: System,
  { id, model, dimensions, generation }: Omit<NewIndexBuild, 'autoSwitch'>,
): Promise<void> {
  await sql`insert into index_builds (id, model, dimensions, generation, state, switched_at, lost_at)
    select ${id}, ${model}, ${dimensions}, ${generation}, 'serving', now(),
      case when exists (select from memories) or exists (select from documents) then now() end
    where not exists (select from index_builds)
    on conflict do nothing`.execute(db)
}

/**
 * Begins a build; every change goes into its index too once a worker has created it. Drops an index that is kept or
 * failed. Throws ConflictError while another is being built.
 */
export async function beginBuild(system: System, build: NewIndexBuild): Promise<IndexBuild> {
  const { db } = system
  await lock(db, LOCKS.indexBuilds)
  await sql`update index_builds set state = 'dropping', dropped_at = now(), ticket = null, lease = null
    where state in ('kept', 'failed')`.execute(db)
  const { rows } = await sql<IndexBuild>`
    insert into index_builds (id, model, dimensions, generation, state, auto_switch)
    values (${build.id}, ${build.model}, ${build.dimensions}, ${build.generation}, 'waiting', ${build.autoSwitch})
    on conflict ((true)) where state in ('waiting', 'backfilling', 'ready') do nothing
    returning ${COLUMNS}`.execute(db)
  if (rows[0]) return rows[0]
  const running = (await listLiveBuilds(system)).find(({ state }) => state !== 'serving')
  throw new ConflictError('Another index is being built.', { details: { existing_id: running?.id ?? null } })
}

/**
 * Makes a ready or kept index the serving one; the one that served is kept, unless it was lost. Throws ConflictError
 * for an index in another state. A build that begins at the same time comes before it, or sees what is kept.
 */
export async function switchTo(system: System, id: string): Promise<void> {
  const { db } = system
  await lock(db, LOCKS.indexBuilds)
  const { rows } = await sql<{ state: BuildState }>`
    select state from index_builds where id = ${id} or state = 'serving' order by id = ${id} desc for update`.execute(
    db,
  )
  const state = rows[0]?.state
  if (state !== 'ready' && state !== 'kept')
    throw new ConflictError('Only an index that is ready or kept can take over.', { details: { state: state ?? null } })
  // One step at a time: unique indices are checked within each statement.
  await sql`update index_builds set state = 'ready' where id = ${id} and state = 'kept'`.execute(db)
  await sql`update index_builds set state = case when lost_at is null then 'kept' else 'dropping' end,
      dropped_at = case when lost_at is not null then now() end
    where state = 'serving'`.execute(db)
  await sql`update index_builds set state = 'serving', switched_at = now(), error = null where id = ${id}`.execute(db)
}

/** Drops indices whose backfill has failed: they get no changes any more, not even tombstones. */
export async function dropFailedBuilds({ db }: System): Promise<void> {
  await sql`update index_builds set state = 'dropping', dropped_at = now(), ticket = null, lease = null
    where state = 'failed'`.execute(db)
}

/** Counts the indices created before this time that take no changes and still exist. */
export async function countDropping({ db }: System, until: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from index_builds
    where (state in ('failed', 'dropping') or state = 'serving' and lost_at is not null) and created_at <= ${until}::timestamptz`.execute(
    db,
  )
  return rows[0]!.count
}

/**
 * Drops a build: from the commit on no change goes into its index; the index itself is removed later. Throws
 * ConflictError for the serving one.
 */
export async function dropBuild({ db }: System, id: string): Promise<void> {
  const { rows } = await sql<{ state: BuildState }>`select state from index_builds where id = ${id} for update`.execute(
    db,
  )
  const state = rows[0]?.state
  if (state === 'serving') throw new ConflictError('The serving index cannot be dropped.', { details: { state } })
  await sql`update index_builds set state = 'dropping', dropped_at = now(), ticket = null, lease = null
    where id = ${id} and state not in ('dropping', 'dropped')`.execute(db)
}
