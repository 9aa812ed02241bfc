import { enrichmentOf } from '../../domain/enrichment/record.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import type { Usage } from '../../store/tenants/usage.js'
import type { components } from '../../contract/contract.gen.js'

type MemoryRecord = components['schemas']['Memory']
type UsageRecord = components['schemas']['Usage']

/** Returns the contract's memory record. Only answers of writes have `usage`, only answers of recalls have scores. */
export function presentMemory(tenantId: string, row: MemoryRow, usage: Usage | null = null): MemoryRecord {
  return {
    id: row.id,
    tenant_id: tenantId,
    fleet_id: row.fleetId,
    agent_id: row.agentId,
    agent_display_name: row.agentDisplayName,
    memory_type: row.memoryType,
    title: row.title ?? enrichmentOf(row.systemMetadata)?.title ?? null,
    content: row.content,
    weight: row.weight,
    source_uri: row.sourceUri,
    run_id: row.runId,
    metadata: row.metadata,
    system_metadata: row.systemMetadata,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    expires_at: isoOrNull(row.expiresAt),
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
    subject_entity_id: row.subjectEntityId,
    predicate: row.predicate,
    object_value: row.objectValue,
    ts_valid_start: isoOrNull(row.validStart),
    ts_valid_end: isoOrNull(row.validEnd),
    status: row.status,
    visibility: row.visibility,
    recall_count: row.recallCount,
    last_recalled_at: isoOrNull(row.lastRecalledAt),
    supersedes_id: row.supersessions.find((one) => one.newId === row.id && one.reason === 'explicit')?.oldId ?? null,
    superseded_by: row.supersessions.map((one) => ({
      old_memory_id: one.oldId,
      new_memory_id: one.newId,
      old_status: one.oldStatus,
      reason: one.reason,
      old_content_preview: one.preview,
      direction: one.direction,
    })),
    confidence: row.confidence,
    is_inferred: row.isInferred,
    scope: row.scope,
    version: row.version,
    usage: usage && presentUsage(usage),
  }
}

export function presentUsage(usage: Usage): UsageRecord {
  return {
    memories_stored: usage.stored,
    memories_limit: usage.limit,
    writes_remaining: usage.limit === null ? null : Math.max(0, usage.limit - usage.stored),
  }
}

function isoOrNull(date: Date | null): string | null {
  return date && date.toISOString()
}
