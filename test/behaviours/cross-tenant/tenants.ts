import { type AttemptsOfSubject, actingAs } from './attempts.js'

/** Attempts on a tenant itself: its settings, audit, agents, fleets, keys, limits and erasures. */
export const TENANT_ATTEMPTS = {
  whoami: (victim) => [
    { status: 200 },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],
  getSettings: (victim) => [
    { status: 200 },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],
  patchSettings: (victim, own) => [
    { status: 403, body: { tenant_id: victim.tenant.id, memory: { pii_policy: 'refuse' } } },
    { status: 403, body: { memory: null }, query: { tenant_id: victim.tenant.id } },
    { status: 403, body: { tenant_id: own, memory: { pii_policy: 'refuse' } }, headers: actingAs(victim) },
    { status: 409, body: { tenant_id: own, memory: null }, headers: { 'If-Match': victim.settingsTag } },
    { status: 200, body: { tenant_id: own, memory: null } },
  ],
  listAudit: (victim) => [
    { status: 200 },
    { status: 200, query: { subject_id: victim.memories.id } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 400, query: { limit: 1, cursor: victim.auditCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  listAgents: (victim) => [
    { status: 200 },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listFleets: (victim) => [
    { status: 200 },
    { status: 400, query: { limit: 1, cursor: victim.memories.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getFleet: (victim) => {
    const params = { fleet_id: victim.fleetId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  patchAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 404, params, body: { trust_level: 0 } },
      { status: 403, params, body: { trust_level: 0, tenant_id: victim.tenant.id } },
    ]
  },
  deleteAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  putAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 403, params, body: { trust_level: 0, tenant_id: victim.tenant.id } },
      // Registers an agent of the same name in the attacker's own tenant.
      { status: 200, params, body: { trust_level: 0 } },
    ]
  },
  listTenants: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  patchTenant: (victim) => [
    { status: 403, params: { tenant_id: victim.tenant.id }, body: { memories_limit: 0 } },
    { status: 403, params: { tenant_id: victim.tenant.id }, body: {} },
  ],
  createErasure: (victim) => [
    { status: 403, body: { tenant_id: victim.tenant.id, memory_ids: [victim.memories.id] } },
    { status: 403, body: { tenant_id: victim.tenant.id, agent_id: victim.agentId, preview: true } },
  ],
  verifyErasure: () => [{ status: 403, params: { erasure_id: '01890000-0000-7000-8000-000000000000' } }],
  createKey: (victim) => [{ status: 403, body: { tenant_id: victim.tenant.id, kind: 'tenant', trust_level: 3 } }],
  listKeys: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  deleteKey: (victim) => [{ status: 403, params: { key_id: victim.service.keyId } }],
} satisfies AttemptsOfSubject
