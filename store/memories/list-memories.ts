import { type RawBuilder, sql } from 'kysely'
import type { FilterExpression } from '../../domain/filters/expression.js'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import type { Audience, Visibility } from '../../domain/visibility.js'
import type { Keyset } from '../keyset.js'
import type { Reader } from '../store.js'
import { isUnusedSince } from './archive-unused.js'
import { visibleTo } from './audience.js'
import { readEntityLinks } from './entity-links.js'
import { sourceKnownAt } from './known-at.js'
import { meetsFilter } from './filter-condition.js'
import { type MemoryRow, type RowWithoutLinks, selectMemories, withLinks } from './read-memories.js'

/** Place of a memory in a list: its sort value, and its id. */
export interface MemoryPosition {
  readonly value: string | number
  readonly id: string
}

interface MemoryListing extends Keyset<MemoryPosition> {
  readonly agentId?: string | undefined
  readonly fleetId?: string | undefined
  readonly memoryType?: MemoryType
  readonly status?: MemoryStatus
  readonly visibility?: Visibility
  readonly runId?: string
  readonly language?: string
  /** Exclusive. */
  readonly createdAfter?: Date
  readonly createdBefore?: Date
  /** Only memories that were written before and not recalled since. */
  readonly unusedSince?: Date | undefined
  readonly expression?: FilterExpression | undefined
  readonly includeDeleted: boolean
  /** The moment at which the memories are read as they were then. */
  readonly knownAt?: Date | undefined
  /** Only memories that some recall has returned, or none. */
  readonly recalled?: 'ever' | 'never' | undefined
  readonly sort: 'created_at' | 'weight' | 'recall_count' | 'last_recalled_at'
  readonly order: 'asc' | 'desc'
}

const SORT_COLUMNS = {
  created_at: { column: sql`m.created_at`, type: sql`timestamptz` },
  weight: { column: sql`m.weight`, type: sql`real` },
  recall_count: { column: sql`coalesce(u.recall_count, 0)`, type: sql`bigint` },
  last_recalled_at: { column: sql`coalesce(u.last_recalled_at, '-infinity')`, type: sql`timestamptz` },
} as const

/** Returns a page of visible rows by keyset: rows inserted meanwhile never shift a page. */
export async function listMemories(reader: Reader, audience: Audience, listing: MemoryListing): Promise<MemoryRow[]> {
  const { column, type } = SORT_COLUMNS[listing.sort]
  const { order, after, knownAt: at, includeDeleted } = listing
  const conditions: RawBuilder<unknown>[] = [visibleTo(audience)]
  if (!includeDeleted) conditions.push(sql`m.status <> 'deleted'`)
  if (listing.agentId !== undefined) conditions.push(sql`m.agent_id = ${listing.agentId}`)
  if (listing.fleetId !== undefined) conditions.push(sql`m.fleet_id = ${listing.fleetId}`)
  if (listing.memoryType !== undefined) conditions.push(sql`m.memory_type = ${listing.memoryType}`)
  if (listing.status !== undefined) conditions.push(sql`m.status = ${listing.status}`)
  if (listing.visibility !== undefined) conditions.push(sql`m.visibility = ${listing.visibility}`)
  if (listing.runId !== undefined) conditions.push(sql`m.run_id = ${listing.runId}`)
  if (listing.language !== undefined) conditions.push(sql`m.language = ${listing.language}`)
  if (listing.createdAfter) conditions.push(sql`m.created_at > ${listing.createdAfter}`)
  if (listing.createdBefore) conditions.push(sql`m.created_at < ${listing.createdBefore}`)
  if (listing.unusedSince) conditions.push(isUnusedSince(listing.unusedSince))
  if (listing.recalled) conditions.push(sql`(u.last_recalled_at is not null) = ${listing.recalled === 'ever'}`)
  if (listing.expression) conditions.push(meetsFilter(listing.expression))
  if (after) {
    const beyond = order === 'asc' ? sql`>` : sql`<`
    conditions.push(sql`(${column}, m.id) ${beyond} (${after.value}::${type}, ${after.id}::uuid)`)
  }
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const source = at ? sourceKnownAt(reader.tenantId, { at, audience, includeDeleted }) : {}
  const { rows } = await sql<RowWithoutLinks>`${selectMemories(reader, audience, conditions, source)}
    order by ${column} ${direction}, m.id ${direction} limit ${listing.limit}`.execute(reader.db)
  const ids = rows.map(({ id }) => id)
  return withLinks(rows, await readEntityLinks(reader, ids, audience))
}
