import Table from 'cli-table3'
import type { components } from '../../contract/types.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'

export async function listTenants(admin: ServiceClient, options: { readonly json?: boolean }): Promise<void> {
  const tenants: components['schemas']['Tenant'][] = []
  for await (const tenant of admin.listTenants({ limit: 200 })) tenants.push(tenant)
  if (options.json) return printJson(tenants)
  const table = new Table({
    head: ['tenant', 'agents', 'memories', 'limit', 'keeps deleted', 'created'],
    style: { head: [], border: [] },
  })
  for (const tenant of tenants)
    table.push([
      printable(tenant.tenant_id),
      tenant.agent_count,
      tenant.memory_count,
      tenant.memories_limit ?? 'none',
      `${tenant.retention_days} days`,
      tenant.created_at.slice(0, 10),
    ])
  console.log(table.toString())
}
