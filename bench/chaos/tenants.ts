import { createHttpClient } from '../http-client.js'
import { mintKey } from '../service.js'
import type { Tenant } from './load.js'
import type { System } from './system.js'

/** Creates a key for one agent in each of `count` new tenants. */
export async function mintTenants({ urls, adminKey }: System, count: number): Promise<Tenant[]> {
  const client = createHttpClient(urls()[0]!)
  try {
    const tenants: Tenant[] = []
    for (let i = 0; i < count; i++) {
      const id = `chaos-${i}`
      tenants.push({ id, key: await mintKey({ client, adminKey }, id, 'writer', 'chaos') })
    }
    return tenants
  } finally {
    client.close()
  }
}
