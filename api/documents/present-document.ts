import type { Document } from '../../domain/documents/document.js'
import { presentedData } from '../../domain/skills/skill-document.js'
import type { Principal } from '../../domain/principal.js'
import type { components } from '../../contract/types.js'

export function presentDocument(
  caller: Pick<Principal, 'tenantId' | 'trust'>,
  row: Document,
): components['schemas']['Document'] {
  const { skill: _, ...metadata } = row.systemMetadata
  return {
    id: row.id,
    tenant_id: caller.tenantId,
    fleet_id: row.fleetId,
    collection: row.collection,
    doc_id: row.docId,
    data: presentedData(row, caller),
    version: row.version,
    language: row.language,
    system_metadata: metadata as components['schemas']['DocumentMetadata'],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
