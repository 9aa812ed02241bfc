import type { components } from '../../api/contract/contract.gen.js'
import type { ServiceClient } from '../service-client.js'

/** The tenant that was named, else the key's own. */
export async function tenantOf(service: ServiceClient, options: { readonly tenant?: string }): Promise<string> {
  if (options.tenant !== undefined) return options.tenant
  const { body } = await service.call<components['schemas']['Whoami']>('/api/v1/whoami')
  return body.tenant_id
}
