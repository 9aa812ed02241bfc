import type { CallOptions } from '../../client/index.js'
import { CommandError } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'

/**
 * Returns the named tenant, else the key's own, else the only one that exists. Throws CommandError when there are
 * several.
 */
export async function tenantOf(
  service: ServiceClient,
  options: { readonly tenant?: string },
  call: CallOptions = {},
): Promise<string> {
  if (options.tenant !== undefined) return options.tenant
  if (!service.isAdmin) return (await service.whoami({}, call)).tenant_id
  const { items, next_cursor } = await service.listTenants({ limit: 10 }, call)
  const names = items.map(({ tenant_id }) => tenant_id)
  if (names.length === 1 && next_cursor === null) return names[0]!
  const known = names.length === 0 ? 'there is none yet' : [...names, ...(next_cursor === null ? [] : ['…'])].join(', ')
  throw new CommandError(printable(`give --tenant: the admin key belongs to no tenant (${known}).`), 2)
}
