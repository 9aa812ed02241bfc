import { NotFoundError } from '../../runtime/errors.js'
import { listTenants, patchTenant as changeTenant, type TenantRateLimits } from '../../store/tenants/tenants.js'
import { auditTenant } from '../../services/admin/audit-tenant.js'
import { operatorOf } from '../../services/admin/operator.js'
import { presentTenant } from './present-tenant.js'
import type { InputOf, Operation } from '../operation.js'

export const patchTenant: Operation<'patchTenant'> = async ({ store, clock }, _caller, { params, body }) => {
  const tenantId = params.tenant_id
  await store.transact(operatorOf(tenantId), async (writer) => {
    const changed = await changeTenant(writer, {
      memoriesLimit: body.memories_limit,
      retentionDays: body.retention_days,
      rateLimits: rateLimitsOf(body.rate_limits),
    })
    if (!changed) throw new NotFoundError('Tenant')
    await auditTenant(writer, changed, new Date(clock.now()))
  })
  const [tenant] = await store.asSystem((system) => listTenants(system, { tenantId, limit: 1 }))
  return { status: 200, body: presentTenant(tenant!) }
}

/** Returns the new rate limits, which replace all old ones: a limit that is null or absent returns to the service's default. */
function rateLimitsOf(given: InputOf<'patchTenant'>['body']['rate_limits']): TenantRateLimits | undefined {
  return given && Object.fromEntries(Object.entries(given).filter(([, limit]) => limit != null))
}
