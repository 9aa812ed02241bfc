import { expect } from 'chai'
import type { Client } from './client.js'
import type { TestService } from './service.js'
import { until } from './states.js'

/** Exceeds the lease of a worker that died at work (60 s). */
const LIMIT_MS = 120_000

/** Waits until nothing is pending and returns how many documents the index holds. Throws when a row has failed. */
export async function indexed(admin: Client): Promise<number | null> {
  await untilIndexed(admin, undefined, LIMIT_MS)
  return (await admin.indexing.get().ok()).index.documents
}

/** Waits until the index holds everything that was written, or everything of one tenant. */
export async function settled(service: TestService, tenantId?: string): Promise<void> {
  await untilIndexed(service.client(), tenantId, 45_000)
}

function untilIndexed(admin: Client, tenantId: string | undefined, within: number): Promise<void> {
  const look = async () => {
    const { pending, failed } = await admin.indexing.get({ tenant_id: tenantId }).ok()
    if (failed > 0) throw new Error(`${failed} rows have failed`)
    return expect({ pending }).to.deep.equal({ pending: 0 })
  }
  return until('everything is indexed', look, { within })
}
