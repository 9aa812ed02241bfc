import { sql } from 'kysely'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { type Memory, MEMORY_MEMBERS } from '../../domain/memory-fields.js'
import { ofStatus } from '../conditions.js'
import { hasSameAudience } from '../memories/audience.js'
import { selectColumns } from '../memories/columns.js'
import { SEEN_FROM } from '../memories/read-memories.js'
import type { RowSeq } from '../outbox/outbox.js'
import type { Reader, Writer } from '../store.js'

/** A memory as enrichment reads it. */
export interface EnrichedMemory extends Memory {
  /** valid_start as the caller gave it, else created_at. */
  readonly seenFrom: Date
}

/** A claimed row with its memory; the memory is null when it is deleted or purged. */
export interface EnrichmentRow extends RowSeq {
  readonly attempts: number
  readonly memory: EnrichedMemory | null
}

const ENRICHED_COLUMNS = sql`${selectColumns(MEMORY_MEMBERS)}, ${SEEN_FROM}`

/** Reads those claimed rows of kind `enrich` that still belong to this ticket, in the order of their ids. */
export async function readEnrichmentRows(
  reader: Reader,
  ticket: string,
  ids: readonly string[],
): Promise<EnrichmentRow[]> {
  const { rows } = await sql<{ rowId: string; seq: number; attempts: number; isLive: boolean } & EnrichedMemory>`
    select p.entity_id as "rowId", p.seq, p.attempts, m.id is not null as "isLive", ${ENRICHED_COLUMNS}
    from index_pending p
    left join memories m on m.tenant_id = p.tenant_id and m.id = p.entity_id and m.status <> 'deleted'
    where p.tenant_id = ${reader.tenantId} and p.kind = 'enrich' and p.ticket = ${ticket}
      and p.entity_id = any(${ids as string[]}::uuid[])
    order by p.entity_id`.execute(reader.db)
  return rows.map(({ rowId, seq, attempts, isLive, ...memory }) => {
    return { id: rowId, seq, attempts, memory: isLive ? memory : null }
  })
}

/**
 * Locks memories, in the order of their ids, until the transaction ends, and returns them; leaves out those that are
 * deleted or do not exist.
 */
export async function lockForEnrichment(
  { tenantId, db }: Writer,
  ids: readonly string[],
): Promise<Map<string, EnrichedMemory>> {
  const { rows } = await sql<EnrichedMemory>`
    select ${ENRICHED_COLUMNS} from memories m
    where m.tenant_id = ${tenantId} and m.id = any(${ids as string[]}::uuid[]) and m.status <> 'deleted'
    order by m.id for update`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A memory with the same audience that may conflict with another. */
export interface ConflictCandidate {
  readonly id: string
  readonly agentId: string | null
  readonly content: string
  /** valid_start, else created_at. */
  readonly at: Date
}

/**
 * Returns the live memories among these ids that have the same audience as the memory, without the memory itself, in
 * the order of the ids.
 */
export async function readConflictCandidates(
  { tenantId, db }: Reader,
  { id, visibility, fleetId, agentId }: EnrichedMemory,
  ids: readonly string[],
): Promise<ConflictCandidate[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<ConflictCandidate>`
    select m.id, m.agent_id as "agentId", m.content, m.run_at as at
    from unnest(${ids as string[]}::uuid[]) with ordinality as near(id, place)
      join memories m on m.tenant_id = ${tenantId} and m.id = near.id
    where m.id <> ${id} and ${ofStatus('m', LIVE_STATUSES)} and (m.expires_at is null or m.expires_at > now())
      and ${hasSameAudience('m', { visibility, fleetId, agentId })}
    order by near.place`.execute(db)
  return rows
}

/**
 * Returns the entities that a memory is linked to, and those with these name keys. Leaves out dates: memories of one
 * day have nothing else in common.
 */
export async function readEntitiesOf(
  { tenantId, db }: Reader,
  memoryId: string,
  nameKeys: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select entity_id as id from entity_links
    where tenant_id = ${tenantId} and memory_id = ${memoryId} and entity_type is distinct from 'date'
    union
    select id from entities where tenant_id = ${tenantId} and name_key = any(${nameKeys as string[]}::text[])
    order by 1`.execute(db)
  return rows.map((row) => row.id)
}
