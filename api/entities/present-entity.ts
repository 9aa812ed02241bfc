import type { EntityRow } from '../../store/entities.js'
import type { components } from '../../contract/types.js'

export function presentEntity(tenantId: string, row: EntityRow): components['schemas']['Entity'] {
  return {
    id: row.id,
    tenant_id: tenantId,
    name: row.name,
    entity_type: row.entityType,
    memory_count: row.memoryCount,
    merged_into: row.mergedInto,
    aliases: [...row.aliases],
    created_at: row.createdAt.toISOString(),
  }
}
