import type { Tenant } from '../../store/tenants/tenants.js'
import type { components } from '../../contract/types.js'

/** Returns the contract's record of a tenant. */
export function presentTenant(tenant: Tenant): components['schemas']['Tenant'] {
  const { writes = null, recalls = null, bulk = null, inbox = null, messages = null } = tenant.rateLimits
  return {
    tenant_id: tenant.tenantId,
    created_at: tenant.createdAt.toISOString(),
    agent_count: tenant.agents,
    memory_count: tenant.memories,
    memories_limit: tenant.memoriesLimit,
    retention_days: tenant.retentionDays,
    rate_limits: { writes, recalls, bulk, inbox, messages },
  }
}
