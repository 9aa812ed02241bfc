import type { MemoryDraft } from '../../domain/memory-draft.js'
import { visibleName } from '../../domain/text/names/visible-name.js'
import type { components } from '../../contract/contract.gen.js'

type MemoryFields = components['schemas']['MemoryFields']

/**
 * Returns the fields of a write, which the contract has validated, as a draft. Weight and confidence are stored in four bytes. They are
 * rounded here, because Postgres refuses numbers that are too small for that instead of storing 0.
 */
export function readDraft(fields: MemoryFields): MemoryDraft {
  return {
    content: fields.content.trim(),
    memoryType: fields.memory_type ?? null,
    title: fields.title?.trim() || null,
    weight: Math.fround(fields.weight ?? 0.5),
    sourceUri: fields.source_uri ?? null,
    runId: fields.run_id ?? null,
    metadata: fields.metadata ?? {},
    links: (fields.entity_links ?? []).map((link) => ({
      entityId: idOf(link.entity_id),
      name: link.name == null ? null : visibleName(link.name),
      entityType: (link.entity_type && visibleName(link.entity_type)) || null,
      role: (link.role && visibleName(link.role)) || null,
    })),
    expiresAt: dateOf(fields.expires_at),
    validStart: dateOf(fields.ts_valid_start),
    validEnd: dateOf(fields.ts_valid_end),
    subjectEntityId: idOf(fields.subject_entity_id),
    predicate: fields.predicate ?? null,
    objectValue: fields.object_value ?? null,
    status: fields.status ?? 'active',
    visibility: fields.visibility ?? 'scope_team',
    confidence: fields.confidence == null ? null : Math.fround(fields.confidence),
    scope: fields.scope ?? null,
    supersedesId: idOf(fields.supersedes_id),
  }
}

/** Returns a UUID as Postgres writes it; callers may send capitals. */
function idOf(text: string | null | undefined): string | null {
  return text?.toLowerCase() ?? null
}

function dateOf(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text)
}
