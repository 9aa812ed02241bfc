import { call } from './calls.js'
import type { Tenant } from './load.js'
import type { System } from './system.js'

/** Mints a key of one agent in each of `count` new tenants. */
export async function mintTenants({ urls, adminKey }: System, count: number): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let i = 0; i < count; i++) {
    const id = `chaos-${i}`
    const body = { tenant_id: id, kind: 'agent', agent_id: 'writer', fleet_id: 'chaos' }
    const minted = await call(`${urls()[0]}/api/v1/admin/keys`, { method: 'POST', key: adminKey, body })
    if (minted.outcome !== 201)
      throw new Error(`minting a key answered ${minted.outcome}: ${JSON.stringify(minted.body)}`)
    tenants.push({ id, key: (minted.body as { api_key: string }).api_key })
  }
  return tenants
}
