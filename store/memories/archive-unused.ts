import { type RawBuilder, sql } from 'kysely'
import type { FilterExpression } from '../../domain/filters/expression.js'
import { LIVE_STATUSES, type MemoryType } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { ofStatus } from '../conditions.js'
import type { Reader, Writer } from '../store.js'
import { visibleTo } from './audience.js'
import { changeStatus } from './change-status.js'
import { meetsFilter } from './filter-condition.js'

/** Conditions of a live memory that nobody uses; all of them must hold. */
export interface UnusedRule {
  /** The memory was written before this time, and neither changed nor recalled since. */
  readonly unusedSince: Date
  /** Inclusive. */
  readonly maxWeight: number | undefined
  /** Inclusive. */
  readonly maxRecalls: number | undefined
  readonly expression: FilterExpression | undefined
}

/** Returns the condition that a memory m was written before a time and has not been recalled since. */
export function isUnusedSince(time: Date): RawBuilder<boolean> {
  return sql<boolean>`m.created_at < ${time} and not exists (select from memory_usage u
    where u.tenant_id = m.tenant_id and u.memory_id = m.id and u.last_recalled_at >= ${time})`
}

/** Counts the visible memories that meet a rule, by type. Reads each memory that is older once. */
export async function countUnused(
  { tenantId, db }: Reader,
  audience: Audience,
  rule: UnusedRule,
): Promise<{ memoryType: MemoryType; count: number }[]> {
  const { rows } = await sql<{ memoryType: MemoryType; count: number }>`
    select m.memory_type as "memoryType", count(*)::int as count
    from ${unused(tenantId, audience, rule)} group by m.memory_type order by count(*) desc, m.memory_type`.execute(db)
  return rows
}

/** Returns the ids of up to `limit` visible memories that meet a rule, the oldest first. */
export async function findUnused(
  { tenantId, db }: Reader,
  audience: Audience,
  rule: UnusedRule,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from ${unused(tenantId, audience, rule)} order by m.created_at, m.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Archives up to `limit` memories that meet a rule, the oldest first, and returns how many. */
export async function archiveUnused(
  writer: Writer,
  audience: Audience,
  rule: UnusedRule,
  { at, limit }: { readonly at: Date; readonly limit: number },
): Promise<number> {
  const ids = await findUnused(writer, audience, rule, limit)
  const move = { from: LIVE_STATUSES, to: 'archived', at, details: { reason: 'unused' } } as const
  return (await changeStatus(writer, ids, move)).length
}

function unused(tenantId: string, audience: Audience, rule: UnusedRule): RawBuilder<unknown> {
  const { unusedSince, maxWeight, maxRecalls, expression } = rule
  const conditions = [
    visibleTo(audience),
    ofStatus('m', LIVE_STATUSES),
    isUnusedSince(unusedSince),
    sql`m.updated_at < ${unusedSince}`,
    ...(maxWeight === undefined ? [] : [sql`m.weight <= ${maxWeight}`]),
    ...(maxRecalls === undefined ? [] : [sql`coalesce(u.recall_count, 0) <= ${maxRecalls}`]),
    ...(expression === undefined ? [] : [meetsFilter(expression)]),
  ]
  return sql`memories m left join memory_usage u on u.tenant_id = m.tenant_id and u.memory_id = m.id
    where m.tenant_id = ${tenantId} and ${sql.join(conditions, sql` and `)}`
}
