import type { components } from '../../contract/contract.gen.js'
import { CommandError } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'

type Schemas = components['schemas']

export async function whoami(service: ServiceClient): Promise<Schemas['Whoami']> {
  return (await service.call<Schemas['Whoami']>('/api/v1/whoami')).body
}

/**
 * Returns the named tenant, else the key's own, else the only one that exists. Throws CommandError when there are
 * several.
 */
export async function tenantOf(service: ServiceClient, options: { readonly tenant?: string }): Promise<string> {
  if (options.tenant !== undefined) return options.tenant
  if (!service.isAdmin) return (await whoami(service)).tenant_id
  const query = { limit: '10' }
  const { items, next_cursor } = (await service.call<Schemas['TenantPage']>('/api/v1/admin/tenants', { query })).body
  const names = items.map(({ tenant_id }) => tenant_id)
  if (names.length === 1 && next_cursor === null) return names[0]!
  const known = names.length === 0 ? 'there is none yet' : [...names, ...(next_cursor === null ? [] : ['…'])].join(', ')
  throw new CommandError(printable(`give --tenant: the admin key belongs to no tenant (${known}).`), 2)
}
