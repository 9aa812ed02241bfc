import { type RawBuilder, sql } from 'kysely'
import { indexedBoundFleet } from '../../domain/skills/fleet-bound.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import { ofTenant } from '../conditions.js'
import { oldestDeltas } from '../tenants/counters.js'
import { LOCKS, tryLock } from '../locks.js'
import type { Reader, System } from '../store.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import { isSkillWithinBounds, ofFleetOrNone } from './document-row.js'

interface Collection {
  readonly name: string
  readonly count: number
  /** Time at which one of its documents was last written or deleted. */
  readonly updatedAt: Date
}

/**
 * Lists the callers' collections that hold documents, ordered by name; given a fleet, counts only documents of that
 * fleet or of none. Counters and pending deltas are read in one statement, so that a compaction between them neither
 * hides nor doubles anything. Skills that are bound to a fleet outside of `bounds` are neither counted nor change a time.
 */
export async function listCollections(
  reader: Reader,
  fleetId: string | undefined,
  bounds: BoundFleets = 'all',
): Promise<Collection[]> {
  const { db, tenantId } = reader
  const { rows } = await sql<Collection>`
    select collection as name, sum(count)::bigint as count, max(changed_at) as "updatedAt"
    from (
      select collection, fleet_id, changed_at, count from document_counters where tenant_id = ${tenantId}
      union all
      select collection, fleet_id, changed_at, delta from document_counter_deltas where tenant_id = ${tenantId}
    ) c
    where ${ofFleetOrNone('c', fleetId)} and not starts_with(collection, '_')
    group by collection having sum(count) > 0 order by collection`.execute(db)
  if (bounds === 'all' || !rows.some(({ name }) => name === SKILLS_COLLECTION)) return rows
  const skills = await countSkills(reader, fleetId, bounds)
  return rows.flatMap((row) => (row.name === SKILLS_COLLECTION ? skills : [row]))
}

/** Counts the active skills one by one: the counters know fleets, but not which skills are bound to theirs. */
async function countSkills(
  { db, tenantId }: Reader,
  fleetId: string | undefined,
  bounds: BoundFleets,
): Promise<Collection[]> {
  const fleet = fleetId === undefined ? sql`true` : sql`(s.fleet_id = ${fleetId} or s.fleet_id is null)`
  const { rows } = await sql<{ count: number; updatedAt: Date }>`
    select count(*)::int as count, max(v.updated_at) as "updatedAt"
    from skills s join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id and v.version = s.active_version
    where s.tenant_id = ${tenantId} and ${fleet} and ${isSkillWithinBounds(bounds)} having count(*) > 0`.execute(db)
  return rows.map((row) => ({ name: SKILLS_COLLECTION, ...row }))
}

/**
 * Returns the fleets of which a search that asks for none finds everything: all of them, where no skill is bound to a fleet
 * outside of `bounds`; else those that have documents, with the bound skills of `bounds` (`indexedBoundFleet`).
 */
export async function searchedFleets({ db, tenantId }: Reader, bounds: readonly string[]): Promise<'all' | string[]> {
  const { rows } = await sql<{ hidden: boolean; fleets: string[] }>`
    select exists (
      select from skills s join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id and v.version = s.active_version
      where s.tenant_id = ${tenantId} and not ${isSkillWithinBounds(bounds)}
    ) as hidden, array(
      select fleet_id from document_counters where tenant_id = ${tenantId} and fleet_id is not null
      union select fleet_id from document_counter_deltas where tenant_id = ${tenantId} and fleet_id is not null
    ) as fleets`.execute(db)
  const { hidden, fleets } = rows[0]!
  return hidden ? [...fleets, ...bounds.map(indexedBoundFleet)] : 'all'
}

/**
 * Returns the SQL expression for the number of documents of one tenant or of all: totals plus pending deltas, which
 * must be read in one statement.
 */
export function documentTotal(tenantId?: RawBuilder<unknown>): RawBuilder<number> {
  const wanted = ofTenant(tenantId)
  return sql<number>`(coalesce((select sum(documents)::bigint from tenant_totals where ${wanted}), 0)
    + coalesce((select sum(delta)::bigint from document_counter_deltas where ${wanted}), 0))`
}

/** Returns the SQL expression for the number of active skills of all tenants. */
export function activeSkillTotal(): RawBuilder<number> {
  // The literal lets the planner choose the partial index of the skills' counters.
  return sql<number>`(coalesce((select sum(count)::bigint from document_counters where collection = 'skills'), 0)
    + coalesce((select sum(delta)::bigint from document_counter_deltas where collection = 'skills'), 0))`
}

/**
 * Adds up to `limit` pending deltas to the counters and the tenants' totals, in one statement: a statement that sums
 * counters and pending deltas reads the exact sum before, during and after. Removes the counters of collections that
 * have become empty. Returns how many deltas were added, or null when another process is compacting.
 */
export async function compactDocumentCounters(
  { db }: System,
  { limit = 20_000 }: { limit?: number } = {},
): Promise<number | null> {
  if (!(await tryLock(db, LOCKS.documentCounters))) return null
  const { rows } = await sql<{ count: number; empty: { tenant_id: string; collection: string }[] }>`
    with gone as (
      delete from document_counter_deltas
      where id = ${oldestDeltas('document_counter_deltas', limit)}
      returning tenant_id, collection, fleet_id, changed_at, delta
    ), counted as (
      insert into document_counters as c (tenant_id, collection, fleet_id, changed_at, count)
      select tenant_id, collection, fleet_id, max(changed_at), sum(delta) from gone
      group by tenant_id, collection, fleet_id order by tenant_id, collection, fleet_id
      on conflict (tenant_id, collection, fleet_id) do update
        set count = c.count + excluded.count, changed_at = greatest(c.changed_at, excluded.changed_at)
      returning tenant_id, collection, count
    ), totalled as (
      insert into tenant_totals as t (tenant_id, documents)
      select tenant_id, sum(delta) from gone group by tenant_id order by tenant_id
      on conflict (tenant_id) do update set documents = t.documents + excluded.documents
    )
    select (select count(*) from gone) as count, coalesce((
      select jsonb_agg(distinct jsonb_build_object('tenant_id', tenant_id, 'collection', collection)) from counted where count = 0
    ), '[]') as empty`.execute(db)
  const { count, empty } = rows[0]!
  if (empty.length > 0) await removeEmpty(db, empty)
  return count
}

/** Keeps a counter of 0 while the collection has documents of other fleets: it tells when a fleet's last document went. */
async function removeEmpty(
  db: System['db'],
  empty: readonly { tenant_id: string; collection: string }[],
): Promise<void> {
  await sql`
    delete from document_counters c
    using jsonb_to_recordset(${JSON.stringify(empty)}::jsonb) as e(tenant_id text, collection text)
    where c.tenant_id = e.tenant_id and c.collection = e.collection and not exists (
      select from document_counters o where o.tenant_id = c.tenant_id and o.collection = c.collection and o.count <> 0)`.execute(
    db,
  )
}
