import { sql } from 'kysely'
import { NOW } from '../conditions.js'
import { lock, LOCKS } from '../locks.js'
import type { System } from '../store.js'
import { beginBuild, dropBuild, type IndexBuild, listLiveBuilds, type NewIndexBuild, switchTo } from './index-builds.js'
import { type SuccessorModel, takesPlaceOf } from './successor-builds.js'

/**
 * Records that the index was created, with the build's id as its first mark. It happens once: an index is never created
 * again.
 */
export async function recordMade({ db }: System, buildId: string): Promise<void> {
  await db
    .updateTable('index_builds')
    .set(({ ref }) => ({ made_at: NOW, mark: ref('id') }))
    .where('id', '=', buildId)
    .where('made_at', 'is', null)
    .execute()
}

interface AnnouncedMark {
  /** The marks that the index may have. */
  readonly known: readonly string[]
  /** Null while nothing is announced: the last mark is confirmed, and young enough. */
  readonly next: string | null
  /** Milliseconds since the announced mark, or else the confirmed one, was announced; null when Postgres' clock has been put back since. */
  readonly ageMs: number | null
}

/**
 * Returns the mark that was announced and never confirmed, or announces the next one, unless the last one was announced less than
 * `everyMs` ago. Null for an index that takes no changes.
 */
export async function announceMark(
  { db }: System,
  buildId: string,
  { everyMs }: { readonly everyMs: number },
): Promise<AnnouncedMark | null> {
  const isDue = sql`next_mark is null
    and (marked_at > now() - ${everyMs} * interval '1 ms' and marked_at <= now()) is not true`
  const { rows } = await sql<AnnouncedMark>`
    update index_builds set
      next_mark = case when ${isDue} then gen_random_uuid() else next_mark end,
      marked_at = case when ${isDue} then now() else marked_at end
    where id = ${buildId} and made_at is not null and lost_at is null
    returning array_remove(array[mark, next_mark], null)::text[] as known, next_mark as next,
      case when marked_at <= now() then extract(epoch from now() - marked_at)::float8 * 1000 end as "ageMs"`.execute(db)
  return rows[0] ?? null
}

/** Marks that are kept of the past: half a minute of writing, which no request outlasts. */
const KEPT = 128

/** Notes that the index has the announced mark. */
export async function confirmMark({ db }: System, buildId: string, next: string): Promise<void> {
  await sql`update index_builds set mark = next_mark, next_mark = null, past_marks = (array[mark] || past_marks)[1:${sql.lit(KEPT)}]
    where id = ${buildId} and next_mark = ${next}`.execute(db)
}

/**
 * Records that an index is incomplete: a serving one is replaced (`recoverServing`), any other is dropped. Returns
 * false when that was known already.
 */
export async function markBuildLost({ db }: System, id: string, reason: string): Promise<boolean> {
  const { rows } = await sql`
    update index_builds set lost_at = now(), error = ${reason},
      state = case when state = 'serving' then state else 'dropping' end,
      dropped_at = case when state = 'serving' then dropped_at else now() end,
      ticket = case when state = 'serving' then ticket end, lease = case when state = 'serving' then lease end
    where id = ${id} and lost_at is null and state in ('serving', 'kept', 'ready', 'backfilling', 'waiting')
    returning 1`.execute(db)
  return rows.length > 0
}

interface Recovery {
  readonly begun: IndexBuild
  /** The build of another model that it took the place of. */
  readonly dropped: IndexBuild | null
}

/**
 * Sees to it that another index takes the place of a serving one that is lost: the one beside it, if that is ready, or of the same model
 * or its successor and being filled; else this new one of the same model, or of the successor if no index ever had that. A build of another
 * model that is not ready gives way: it may have to embed everything first, and whoever began it chose when to switch. Returns what it began.
 */
export async function recoverServing(
  system: System,
  fresh: Pick<NewIndexBuild, 'id' | 'generation'>,
  successor: SuccessorModel | null = null,
): Promise<Recovery | null> {
  await lock(system.db, LOCKS.indexBuilds)
  const [serving, ...others] = await listLiveBuilds(system)
  if (serving?.state !== 'serving' || serving.lostAt === null) return null
  const building = others.find(({ state }) => state !== 'kept') ?? null
  if (building?.state === 'ready') {
    await switchTo(system, building.id)
    return null
  }
  const succeeds = successor !== null && building === null && (await takesPlaceOf(system, successor, serving.model))
  const { model, dimensions } = succeeds ? successor : serving
  if (building && (building.model === model || building.model === successor?.model)) {
    await system.db.updateTable('index_builds').set({ auto_switch: true }).where('id', '=', building.id).execute()
    return null
  }
  if (building) await dropBuild(system, building.id)
  const begun = await beginBuild(system, { ...fresh, model, dimensions, autoSwitch: true })
  return { begun, dropped: building }
}
