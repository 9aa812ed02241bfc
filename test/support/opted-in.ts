import { expect } from 'chai'
import type { Caller } from './client.js'
import type { SharedService } from './shared-service.js'
import { until } from './states.js'
import { newTenant, type TestTenant } from './tenants.js'

export interface OptedIn {
  readonly tenant: TestTenant
  readonly operator: Caller
}

/**
 * Returns a function that gives each test of a suite a tenant that opted in to the Forge. The first run of its scheduler is over, so none
 * comes between what a test does: it asks for its runs. All of them wait at once for the scheduler, which looks every 10 s.
 */
export function optedInTenants(service: SharedService, count: number): () => OptedIn {
  const waiting: OptedIn[] = []
  before(async function () {
    this.timeout(120_000)
    for (let i = 0; i < count; i++) {
      const tenant = newTenant(service())
      const operator = await tenant.caller({ trust: 3 })
      await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
      waiting.push({ tenant, operator })
    }
    for (const { operator } of waiting) await firstScheduledRun(operator)
  })
  return () => {
    const next = waiting.shift()
    if (!next) throw new Error(`the suite has asked for ${count} tenants`)
    return next
  }
}

/** Waits until a run that the tenant's scheduler has begun is over. */
export async function firstScheduledRun(operator: Caller): Promise<void> {
  await until(
    'its scheduler has had a run',
    async () => {
      const { items } = await operator.forge.list().ok()
      return expect(items.map(({ trigger, state }) => `${trigger} ${state}`)).to.include('schedule succeeded')
    },
    { within: 60_000 },
  )
}
