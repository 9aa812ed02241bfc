import { sql } from 'kysely'
import { ConflictError } from '../../runtime/errors.js'
import { NOW } from '../conditions.js'
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

const COLUMNS = [
  'id',
  'model',
  'dimensions',
  'generation',
  'state',
  'auto_switch as autoSwitch',
  'error',
  'created_at as createdAt',
  'made_at as madeAt',
  'lost_at as lostAt',
  'ready_at as readyAt',
  'switched_at as switchedAt',
  'dropped_at as droppedAt',
] as const

/** Columns of a build that no process works on. */
export const UNCLAIMED = { ticket: null, lease: null }

/** Columns of a build whose index is removed later. */
const DROPPING = { state: 'dropping', dropped_at: NOW, ...UNCLAIMED } as const

/** Returns the indices that serve, are being built or are kept; the serving one first. */
export async function listLiveBuilds({ db }: System): Promise<IndexBuild[]> {
  return db
    .selectFrom('index_builds')
    .select(COLUMNS)
    .where('state', 'in', ['waiting', 'backfilling', 'ready', 'serving', 'kept'])
    .orderBy(sql`state = 'serving'`, 'desc')
    .execute()
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
  return db
    .selectFrom('index_builds')
    .select(COLUMNS)
    .where('state', 'in', ['waiting', 'backfilling', 'ready', 'failed'])
    .execute()
}

export async function findBuild({ db }: System, id: string): Promise<IndexBuild | null> {
  const build = await db.selectFrom('index_builds').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  return build ?? null
}

/** Lists builds, newest first, after the build with this id. */
export async function listBuilds({ db }: System, { after, limit }: Keyset<string>): Promise<IndexBuild[]> {
  let query = db
    .selectFrom('index_builds')
    .select(COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (after !== undefined)
    query = query.where(sql<boolean>`(created_at, id) < (select created_at, id from index_builds where id = ${after})`)
  return query.execute()
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
  await db.updateTable('index_builds').set(DROPPING).where('state', 'in', ['kept', 'failed']).execute()
  const { autoSwitch, ...columns } = build
  const begun = await db
    .insertInto('index_builds')
    .values({ ...columns, state: 'waiting', auto_switch: autoSwitch })
    .onConflict((conflict) =>
      conflict
        .expression(sql`(true)`)
        .where(sql<boolean>`state in ('waiting', 'backfilling', 'ready')`)
        .doNothing(),
    )
    .returning(COLUMNS)
    .executeTakeFirst()
  if (begun) return begun
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
  const [build] = await db
    .selectFrom('index_builds')
    .select('state')
    .where((row) => row.or({ id, state: 'serving' }))
    .orderBy(sql`id = ${id}`, 'desc')
    .forUpdate()
    .execute()
  const state = build?.state
  if (state !== 'ready' && state !== 'kept')
    throw new ConflictError('Only an index that is ready or kept can take over.', { details: { state: state ?? null } })
  // One step at a time: unique indices are checked within each statement.
  await db
    .updateTable('index_builds')
    .set({ state: 'ready' })
    .where('id', '=', id)
    .where('state', '=', 'kept')
    .execute()
  await sql`update index_builds set state = case when lost_at is null then 'kept' else 'dropping' end,
      dropped_at = case when lost_at is not null then now() end
    where state = 'serving'`.execute(db)
  const serving = { state: 'serving', switched_at: NOW, error: null } as const
  await db.updateTable('index_builds').set(serving).where('id', '=', id).execute()
}

/** Drops indices whose backfill has failed: they get no changes any more, not even tombstones. */
export async function dropFailedBuilds({ db }: System): Promise<void> {
  await db.updateTable('index_builds').set(DROPPING).where('state', '=', 'failed').execute()
}

/** Counts the indices created before this time that take no changes and still exist. */
export async function countDropping({ db }: System, until: Date): Promise<number> {
  const { count } = await db
    .selectFrom('index_builds')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((row) =>
      row.or([row('state', 'in', ['failed', 'dropping']), row('state', '=', 'serving').and('lost_at', 'is not', null)]),
    )
    .where('created_at', '<=', until)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Drops a build: from the commit on no change goes into its index; the index itself is removed later. Throws
 * ConflictError for the serving one.
 */
export async function dropBuild({ db }: System, id: string): Promise<void> {
  const build = await db.selectFrom('index_builds').select('state').where('id', '=', id).forUpdate().executeTakeFirst()
  const state = build?.state
  if (state === 'serving') throw new ConflictError('The serving index cannot be dropped.', { details: { state } })
  await db
    .updateTable('index_builds')
    .set(DROPPING)
    .where('id', '=', id)
    .where('state', 'not in', ['dropping', 'dropped'])
    .execute()
}
