import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.js'
import type { TestService } from './service.js'

/** Exceeds the lease of a worker that died at work (60 s). */
const LIMIT_MS = 120_000

/** Waits until nothing is pending and returns how many documents the index holds. Throws when a row has failed. */
export async function indexed(admin: Client): Promise<number | null> {
  for (const end = Date.now() + LIMIT_MS; ;) {
    const { body } = await admin.indexing.get()
    if (body.parked > 0) throw new Error(`${body.parked} rows have failed`)
    if (body.pending === 0) return body.index.documents
    if (Date.now() > end) throw new Error(`${body.pending} rows are still pending`)
    await sleep(50)
  }
}

/** Waits until the index holds everything that was written, or everything of one tenant. */
export async function settled(service: TestService, tenantId?: string): Promise<void> {
  for (;;) {
    const { body } = await service.client().indexing.get({ tenant_id: tenantId })
    if (body.parked > 0) throw new Error(`${body.parked} rows have failed`)
    if (body.pending === 0) return
    await sleep(20)
  }
}
