import { enrichmentOf, type InferredField } from '../../domain/enrichment/record.js'
import {
  blankOf,
  type Memory,
  MEMORY_FIELDS,
  NAMED_MEMBERS,
  type NamedMember,
  type NameOf,
  nameOf,
  type ScreenedMember,
} from '../../domain/memory-fields.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import type { Usage } from '../../store/memories/usage.js'
import type { components } from '../../contract/types.js'

type MemoryRecord = components['schemas']['Memory']
type UsageRecord = components['schemas']['Usage']

/** Returns the contract's memory record. Only answers of writes have `usage`, only answers of recalls have scores. */
export function presentMemory(tenantId: string, row: MemoryRow, usage: Usage | null = null): MemoryRecord {
  const record = { ...BLANK }
  for (const { member, name, isTime } of NAMED) {
    const value = row[member]
    record[name] = isTime && value !== null ? (value as Date).toISOString() : value
  }
  return Object.assign(record as PresentedFields, {
    tenant_id: tenantId,
    agent_display_name: row.agentDisplayName,
    title: row.title ?? enrichmentOf(row.systemMetadata)?.title ?? null,
    system_metadata: row.systemMetadata as StoredSystemMetadata,
    entity_links: row.entityLinks.map((link) => ({
      entity_id: link.entityId,
      name: link.name,
      entity_type: link.entityType,
      role: link.role,
      origin: link.origin,
    })),
    similarity: null,
    score: null,
    score_parts: null,
    recall_count: row.recallCount,
    last_recalled_at: row.lastRecalledAt && row.lastRecalledAt.toISOString(),
    supersedes_id: row.supersessions.find((one) => one.newId === row.id && one.reason === 'explicit')?.oldId ?? null,
    superseded_by: row.supersessions.map((one) => ({
      old_memory_id: one.oldId,
      new_memory_id: one.newId,
      old_status: one.oldStatus,
      reason: one.reason,
      old_content_preview: one.preview,
      direction: one.direction,
    })),
    usage: usage && presentUsage(usage),
  })
}

const NAMED = NAMED_MEMBERS.map((member) => {
  return { member, name: nameOf(member), isTime: MEMORY_FIELDS[member].value === 'time' }
})

/** Fields of the record that are no fields of the table. */
const OTHERS: Record<Exclude<keyof MemoryRecord, NameOf<NamedMember>>, null> = {
  tenant_id: null,
  agent_display_name: null,
  entity_links: null,
  similarity: null,
  score: null,
  score_parts: null,
  recall_count: null,
  last_recalled_at: null,
  supersedes_id: null,
  superseded_by: null,
  usage: null,
}
const BLANK: Record<string, unknown> = blankOf([...NAMED_MEMBERS.map(nameOf), ...Object.keys(OTHERS)])

/** The part of `system_metadata` that names fields of the table: the contract must have those names there too. */
interface StoredSystemMetadata {
  enrichment?: Omit<components['schemas']['EnrichmentRecord'], 'inferred'> & { inferred: InferredField[] }
  pii?: PersonalData & { fields: Pick<PersonalData['fields'], NameOf<ScreenedMember>> }
}
type PersonalData = NonNullable<MemoryRecord['system_metadata']['pii']>

/** The fields of the table under their names in the contract, which must have them, with times as texts. */
type PresentedFields = Pick<MemoryRecord, NameOf<NamedMember>> & {
  -readonly [M in NamedMember as NameOf<M>]: Presented<Memory[M]>
}
type Presented<Value> = Value extends Date ? string : Value

export function presentUsage(usage: Usage): UsageRecord {
  return {
    memories_stored: usage.stored,
    memories_limit: usage.limit,
    writes_remaining: usage.limit === null ? null : Math.max(0, usage.limit - usage.stored),
  }
}
