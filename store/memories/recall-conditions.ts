import { type RawBuilder, sql } from 'kysely'
import type { RecallFilter, Viewing } from '../../domain/recall-filter.js'
import type { Audience } from '../../domain/visibility.js'
import { rowOf } from '../rows-by-id.js'
import { visibleTo } from './audience.js'
import { isValidAt, meetsFilter } from './filter-condition.js'
import { memoriesKnownAt } from './known-at.js'

/** Returns the row of an id for a lateral join, as it is or was at the moment of the filter. */
export function memoryRow(
  { audience, knownAt }: Viewing,
  tenantId: string,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (knownAt === undefined) return rowOf('memories', tenantId, id)
  const known = { at: new Date(knownAt), audience }
  return sql`(select * from ${memoriesKnownAt(tenantId, known, (own) => sql`${own} = ${id}`)} was limit 1)`
}

/** Returns the conditions that a row m must meet now for a recall to return it. */
export function passes(filter: RecallFilter): RawBuilder<boolean> {
  return sql<boolean>`${seenBy(filter.audience)} and ${meets(filter)}`
}

/** Returns what the visibility rule asks of a row m. */
export function seenBy(audience: Audience): RawBuilder<boolean> {
  return sql<boolean>`m.status <> 'deleted' and ${visibleTo(audience)}`
}

/** Returns what the filter asks of a row m that its audience sees. At another moment m may not have expired then, nor the memory by now. */
export function meets(filter: RecallFilter): RawBuilder<boolean> {
  const { now, knownAt } = filter
  const conditions = [
    sql`m.status = any(${filter.statuses as string[]}::text[])`,
    sql`(m.expires_at is null or m.expires_at > ${new Date(knownAt ?? now)})`,
  ]
  if (knownAt !== undefined)
    conditions.push(sql`coalesce(${new Date(now)} < (
      select n.expires_at from memories n where n.tenant_id = m.tenant_id and n.id = m.id), true)`)
  if (filter.memoryTypes) conditions.push(sql`m.memory_type = any(${filter.memoryTypes as string[]}::text[])`)
  if (filter.fleetIds) conditions.push(sql`m.fleet_id = any(${filter.fleetIds as string[]}::text[])`)
  if (filter.agentId !== undefined) conditions.push(sql`m.agent_id = ${filter.agentId}`)
  if (filter.runId !== undefined) conditions.push(sql`m.run_id = ${filter.runId}`)
  if (filter.languages) conditions.push(sql`m.language = any(${filter.languages as string[]}::text[])`)
  if (filter.createdAfter !== undefined) conditions.push(sql`m.created_at > ${new Date(filter.createdAfter)}`)
  if (filter.createdBefore !== undefined) conditions.push(sql`m.created_at < ${new Date(filter.createdBefore)}`)
  if (filter.validAt !== undefined) conditions.push(isValidAt(filter.validAt))
  if (filter.expression) conditions.push(meetsFilter(filter.expression))
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}
