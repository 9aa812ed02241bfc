import { sql } from 'kysely'
import { predicateKey } from '../../domain/life/contradictions.js'
import { blankOf, type Memory, MEMORY_MEMBERS, type MemoryMember } from '../../domain/memory-fields.js'
import { jsonList } from '../../runtime/json.js'
import { AUDIT_COLUMNS, auditedBy } from '../audit.js'
import type { PendingKind } from '../schema.js'
import { anyOf, ofStatus } from '../conditions.js'
import type { Writer } from '../store.js'
import { linkAudience } from './audience.js'
import { columnNames, recordColumns, recordNames } from './columns.js'
import { slotOf } from './activity.js'
import { CURRENT_FORM } from './former-hashes.js'

/** Members that a new memory has from the database, or from when it was created. */
const NOT_INSERTED = ['version', 'updatedAt', 'isInferred'] as const satisfies readonly MemoryMember[]
type InsertedMember = Exclude<MemoryMember, (typeof NOT_INSERTED)[number]>
const INSERTED = MEMORY_MEMBERS.filter(
  (member): member is InsertedMember => !(NOT_INSERTED as readonly MemoryMember[]).includes(member),
)

/** A memory about to be stored, with its keys and links. */
export interface NewMemory extends Pick<Memory, InsertedMember> {
  readonly contentHash: Buffer
  readonly textHash: Buffer
  readonly links: readonly NewLink[]
}

interface NewLink {
  readonly entityId: string
  /** Name as spelled in this memory. */
  readonly name: string
  readonly role: string
  readonly entityType: string | null
}

const RECORD = recordColumns(INSERTED)
const COLUMNS = columnNames(INSERTED)
const MEMBERS = recordNames(INSERTED)

interface InsertOutcome {
  /** Ids that were stored; the others are duplicates of live rows. */
  readonly stored: ReadonlySet<string>
}

/**
 * Stores the rows that are no duplicates of live ones, with their links, counter deltas, index_pending rows and audit
 * events, in one statement and one round trip. Inserts in the order of content hashes, so that concurrent writers of
 * the same texts do not deadlock. Waits for a transaction that is writing a duplicate. `kinds` are the jobs that each
 * row gets.
 */
export async function insertMemories(
  writer: Writer,
  memories: readonly NewMemory[],
  { kinds = ['memory'] }: { readonly kinds?: readonly PendingKind[] } = {},
): Promise<InsertOutcome> {
  const given = await jsonList(memories, toJson)
  const { rows } = await sql<{ id: string }>`
    with given as (
      select * from jsonb_to_recordset(${given}::jsonb)
        as r(${RECORD}, content_hash text, text_hash text, predicate_key text, links jsonb)
    ), stored as (
      insert into memories (tenant_id, ${COLUMNS}, updated_at, content_hash, content_hash_form, text_hash, predicate_key,
        is_language_read)
      select ${writer.tenantId}, ${MEMBERS}, "createdAt", decode(content_hash, 'hex'), ${sql.lit(CURRENT_FORM)},
        decode(text_hash, 'hex'), predicate_key, true
      from given order by content_hash, id
      on conflict (tenant_id, fleet_id, agent_id, content_hash) where status in ('active', 'pending', 'confirmed') do nothing
      returning id, fleet_id, agent_id, visibility, memory_type, status, language, created_at
    ), linked as (
      insert into entity_links (tenant_id, memory_id, entity_id, role, entity_type, name, audience)
      select ${writer.tenantId}, m.id, link.entity_id, link.role, link.entity_type, link.name, ${linkAudience()}
      from stored m join given on given.id = m.id,
        jsonb_to_recordset(given.links) as link(entity_id uuid, role text, entity_type text, name text)
      order by m.id, link.entity_id, link.role
      on conflict do nothing
    ), counted as (
      insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta, event, slot, events)
      select ${writer.tenantId}, fleet_id, agent_id, visibility, memory_type, status, count(*), 'created',
        ${slotOf(sql`created_at`)}, count(*)
      from stored
      group by fleet_id, agent_id, visibility, memory_type, status, ${slotOf(sql`created_at`)}
    ), counted_languages as (
      insert into language_counter_deltas (tenant_id, language, delta)
      select ${writer.tenantId}, language, count(*) from stored where language is not null group by language
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, memories[0]!.createdAt)}, 'memory.created', 'memory', id::text, '{}' from stored order by id
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id)
      select ${writer.tenantId}, kind, id from stored cross join unnest(${kinds as string[]}::text[]) as due(kind)
    )
    select id from stored`.execute(writer.db)
  return { stored: new Set(rows.map((row) => row.id)) }
}

/** Returns the live rows that have the texts of the refused ones, by content hash (hex). */
export async function findDuplicates(
  writer: Writer,
  memories: readonly Pick<NewMemory, 'contentHash' | 'fleetId' | 'agentId'>[],
): Promise<Map<string, { id: string; expiresAt: Date | null }>> {
  if (memories.length === 0) return new Map()
  const { fleetId, agentId } = memories[0]!
  const rows = await writer.db
    .selectFrom('memories')
    .select(['id', 'content_hash', 'expires_at'])
    .where('tenant_id', '=', writer.tenantId)
    .where('fleet_id', 'is not distinct from', fleetId)
    .where('agent_id', 'is not distinct from', agentId)
    .where('content_hash', '=', anyOf(memories.map((memory) => memory.contentHash)))
    .where(ofStatus('memories', ['active', 'pending', 'confirmed']))
    .execute()
  return new Map(rows.map((row) => [row.content_hash.toString('hex'), { id: row.id, expiresAt: row.expires_at }]))
}

const BLANK = blankOf([...INSERTED, 'content_hash', 'text_hash', 'predicate_key', 'links'])

function toJson(memory: NewMemory): object {
  const row = { ...BLANK }
  for (const member of INSERTED) row[member] = memory[member]
  row.content_hash = memory.contentHash.toString('hex')
  row.text_hash = memory.textHash.toString('hex')
  row.predicate_key = memory.predicate && predicateKey(memory.predicate)
  row.links = memory.links.map(linkToJson)
  return row
}

export function linkToJson({ entityId, role, entityType, name }: NewLink) {
  return { entity_id: entityId, role, entity_type: entityType, name }
}
