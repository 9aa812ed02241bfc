import { parseApiKey } from '../domain/api-key.js'
import type { Trust } from '../domain/trust.js'
import type { ClientConfig } from '../runtime/config.js'
import { whoami } from './commands/tenant.js'
import { CommandError } from './failure.js'
import { readKeyFile } from './key-files.js'
import { createServiceClient, type ServiceClient } from './service-client.js'

/** The credential that a command needs: the admin credential, or a key of a tenant at this trust level. */
export type Need = 'admin' | Trust

export interface Credentials {
  readonly service: ServiceClient
  /** The tenant of the key that did not suffice, where the admin's stands in for it. */
  readonly tenant?: string
}

/**
 * Returns a client with the key that was given. Else with the first that suffices of CAIRN_API_KEY, the agent key of DATA_DIR,
 * ADMIN_API_KEY and the admin key of DATA_DIR; only the admin's suffices for its own routes. Throws CommandError when there is none.
 */
export async function findCredentials(
  config: ClientConfig,
  { url, key: given, need }: { readonly url: string; readonly key?: string | undefined; readonly need: Need },
): Promise<Credentials> {
  const clientWith = (key: string) => createServiceClient(url, key)
  if (given) return { service: clientWith(given) }
  const own = config.apiKey ?? (need === 'admin' ? null : await readKeyFile(config.dataDir, 'agent-key'))
  // Only the keys of tenants have a form; the admin's is whatever the operator chose.
  if (own !== null && parseApiKey(own) === null) return { service: clientWith(own) }
  if (own !== null && need === 0) return { service: clientWith(own) }
  const admin = config.adminApiKey ?? (await readKeyFile(config.dataDir, 'admin-key'))
  if (own === null || admin === null) {
    const only = own ?? admin
    if (only !== null) return { service: clientWith(only) }
    const what = need === 'admin' ? 'the admin key' : 'an API key'
    throw new CommandError(`${what} is needed: give --key, set CAIRN_API_KEY, or run where DATA_DIR is the service's.`)
  }
  if (need === 'admin') return { service: clientWith(admin) }
  const service = clientWith(own)
  const { trust_level, tenant_id } = await whoami(service)
  return trust_level >= need ? { service } : { service: clientWith(admin), tenant: tenant_id }
}
