import { audit } from '../../store/audit.js'
import type { Writer } from '../../store/store.js'
import type { TenantLimits } from '../../store/tenants/tenants.js'

/** Writes the audit event of a tenant's changed limits, with their values before and after. Writes none when no limit changed. */
export async function auditTenant(
  writer: Writer,
  { before, after }: { readonly before: TenantLimits; readonly after: TenantLimits },
  at: Date,
): Promise<void> {
  const [was, is] = [valuesOf(before), valuesOf(after)]
  const changes = Object.keys(is)
    .map((limit) => ({ limit, from: was[limit] ?? null, to: is[limit] ?? null }))
    .filter(({ from, to }) => from !== to)
  if (changes.length === 0) return
  const subject = { kind: 'tenant', id: writer.tenantId } as const
  await audit(writer, at, [{ action: 'tenant.updated', subject, details: { changes } }])
}

function valuesOf({ memoriesLimit, retentionDays, rateLimits }: TenantLimits): Record<string, number | null> {
  const { writes = null, recalls = null, bulk = null, inbox = null, messages = null } = rateLimits
  return {
    memories_limit: memoriesLimit,
    retention_days: retentionDays,
    'rate_limits.writes': writes,
    'rate_limits.recalls': recalls,
    'rate_limits.bulk': bulk,
    'rate_limits.inbox': inbox,
    'rate_limits.messages': messages,
  }
}
