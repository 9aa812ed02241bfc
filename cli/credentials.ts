import { parseApiKey } from '../domain/api-key.js'
import type { Trust } from '../domain/trust.js'
import type { ClientConfig } from '../runtime/config.js'
import { CommandError } from './failure.js'
import { readKeyFile } from '../app/key-files.js'
import { createServiceClient, type ServiceClient } from './service-client.js'

/** The credential that a command needs: the admin credential, or a tenant's key of this trust level. */
export type RequiredCredential = 'admin' | Trust

interface Credentials {
  readonly service: ServiceClient
  /** The tenant of the key that did not suffice, when the admin key is used in its place. */
  readonly tenant?: string
}

/**
 * Returns a client with the given key. Without one it takes the first sufficient key among CAIRN_API_KEY, the agent key
 * in DATA_DIR, ADMIN_API_KEY and the admin key in DATA_DIR; only the admin key suffices for admin routes, and none of
 * another tenant than `tenant`. Throws CommandError when there is none.
 */
export async function findCredentials(
  config: ClientConfig,
  {
    url,
    key: given,
    need,
    tenant,
  }: {
    readonly url: string
    readonly key?: string | undefined
    readonly need: RequiredCredential
    /** The tenant that the command line names. */
    readonly tenant?: string | undefined
  },
): Promise<Credentials> {
  const clientWith = (key: string) => createServiceClient(url, key)
  if (given) return { service: clientWith(given) }
  const own = config.apiKey ?? (need === 'admin' ? null : await readKeyFile(config.dataDir, 'agent-key'))
  // Only tenant keys have a recognisable form; the admin key is whatever the operator chose.
  if (own !== null && parseApiKey(own) === null) return { service: clientWith(own) }
  if (own !== null && need === 0 && tenant === undefined) return { service: clientWith(own) }
  const admin = config.adminApiKey ?? (await readKeyFile(config.dataDir, 'admin-key'))
  if (own === null || admin === null) {
    const only = own ?? admin
    if (only !== null) return { service: clientWith(only) }
    const what = need === 'admin' ? 'the admin key' : 'an API key'
    throw new CommandError(`${what} is needed: give --key, set CAIRN_API_KEY, or run where DATA_DIR is the service's.`)
  }
  if (need === 'admin') return { service: clientWith(admin) }
  const service = clientWith(own)
  const { trust_level, tenant_id } = await service.whoami()
  const suffices = trust_level >= need && (tenant === undefined || tenant === tenant_id)
  return suffices ? { service } : { service: clientWith(admin), tenant: tenant_id }
}
