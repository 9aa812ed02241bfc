import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../../domain/visibility.js'
import { visibleTo } from './audience.js'

/** Says at which moment memories are read, and for whom. */
export interface KnownAt {
  readonly at: Date
  /** Whoever may not see a memory now sees none of its former versions. */
  readonly audience: Audience
  /** True to read former versions of memories that have been deleted since. */
  readonly includeDeleted?: boolean | undefined
}

/**
 * Returns the tenant's memories as they were at a moment, in the place of the table `memories`: rows that have not changed since, and kept
 * versions of the others. A memory of which no version of that moment is kept has no row. The visibility rule has yet to be applied to what
 * comes: here it holds for the present rows alone. `of` narrows by a column that has the memory's id, so that both branches are read by key.
 */
export function memoriesKnownAt(
  tenantId: string,
  { at, audience, includeDeleted }: KnownAt,
  of: (id: RawBuilder<unknown>) => RawBuilder<unknown> = () => sql`true`,
): RawBuilder<unknown> {
  return sql`(
    select m.* from memories m where m.tenant_id = ${tenantId} and ${of(sql`m.id`)} and ${isUnchangedSince(at)}
    union all
    select m.* from memory_versions v ${versionsKnownAt(tenantId, { audience, includeDeleted })}
    where v.tenant_id = ${tenantId} and ${of(sql`v.memory_id`)} and v.known_from <= ${at} and v.known_until > ${at})`
}

/** Returns the condition that a row m is as it was at a moment. The index of `created_at` ends a list that is sorted by it. */
export function isUnchangedSince(at: Date): RawBuilder<boolean> {
  return sql<boolean>`(m.created_at <= ${at} and coalesce(m.known_since, m.updated_at) <= ${at})`
}

/** The row that a kept version v was. */
export const FORMER_ROW = sql`jsonb_populate_record(null::memories, v.former || jsonb_build_object('tenant_id', v.tenant_id, 'id', v.memory_id))`

/** Returns the join of kept versions v with the memories m that they were, if the audience may see these now. */
export function versionsKnownAt(tenantId: string, known: Omit<KnownAt, 'at'>): RawBuilder<unknown> {
  return sql`cross join lateral (
    select was.* from ${FORMER_ROW} was where ${seesNow(tenantId, sql`v.memory_id`, known)}) m`
}

/** Where memories are read from, in the place of the table: as they were at another time. */
export interface MemorySource {
  readonly from?: RawBuilder<unknown>
  /** Further columns of `from`. */
  readonly columns?: RawBuilder<unknown>
  /** The condition that a supersession s is shown. */
  readonly supersededBefore?: RawBuilder<unknown>
}

/** Returns where memories are read as they were at a moment, with the supersessions that there were. */
export function sourceKnownAt(
  tenantId: string,
  known: KnownAt,
  of?: Parameters<typeof memoriesKnownAt>[2],
): MemorySource {
  return { from: memoriesKnownAt(tenantId, known, of), supersededBefore: sql`s.created_at <= ${known.at}` }
}

/** Returns the condition that the audience may see the memory of this id as it is now. */
function seesNow(
  tenantId: string,
  id: RawBuilder<unknown>,
  { audience, includeDeleted }: Omit<KnownAt, 'at'>,
): RawBuilder<boolean> {
  return sql<boolean>`exists (select from memories n where n.tenant_id = ${tenantId} and n.id = ${id}
    and ${includeDeleted ? sql`true` : sql`n.status <> 'deleted'`} and ${visibleTo(audience, 'n')})`
}
