import { randomBytes } from 'node:crypto'
import type { Caller } from './client.js'
import type { TestKeyOptions, TestService } from './service.js'

/** A tenant for one test. */
export interface TestTenant {
  readonly id: string
  /** Returns a caller with a new key: of the tenant, or of an agent when one is named. */
  caller(wish?: Omit<TestKeyOptions, 'tenantId'>): Promise<Caller>
  /** The admin credential, acting for this tenant. */
  readonly admin: Caller
}

export function newTenant(service: TestService): TestTenant {
  const id = `tenant-${randomBytes(5).toString('hex')}`
  return {
    id,
    caller: async (wish = {}) => service.client(await service.mintKey({ tenantId: id, ...wish })).of(id),
    admin: service.client().of(id),
  }
}

/** Creates a tenant with two agents of one fleet and an operator. */
export async function newTeam(service: TestService) {
  const tenant = newTenant(service)
  const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
  const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
  const operator = await tenant.caller({ trust: 3 })
  return { tenant, ana, ben, operator }
}
