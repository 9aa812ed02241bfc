import type { Keystone, KeystoneVersion } from '../../store/keystones/keystones.js'
import type { components } from '../../contract/types.js'

type Schemas = components['schemas']

export function presentKeystone(tenantId: string, row: Keystone): Schemas['Keystone'] {
  return {
    ...presentText(tenantId, row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

export function presentVersion(tenantId: string, row: KeystoneVersion): Schemas['KeystoneVersion'] {
  return {
    ...presentText(tenantId, row),
    change: row.change,
    author_kind: row.authorKind,
    at: row.at.toISOString(),
  }
}

function presentText(
  tenantId: string,
  row: Omit<Keystone, 'createdAt' | 'updatedAt' | 'revision'>,
): Schemas['KeystoneText'] {
  return {
    tenant_id: tenantId,
    doc_id: row.docId,
    title: row.title,
    content: row.content,
    scope: row.scope,
    weight: row.weight,
    fleet_id: row.fleetId,
    agent_id: row.agentId,
    author_agent_id: row.authorAgentId,
    version: row.version,
    content_hash: row.contentHash,
    system_metadata: row.systemMetadata,
  }
}
