import type { components } from '../../contract/contract.gen.js'
import type { ServiceClient } from '../service-client.js'

type Enqueued = components['schemas']['Enqueued']

export async function reindex(admin: ServiceClient, options: { readonly tenant?: string }): Promise<void> {
  const { body } = await admin.call<Enqueued>('/api/v1/admin/reindex', {
    method: 'POST',
    query: { tenant_id: options.tenant },
  })
  console.log(`${body.enqueued} rows are enqueued; the workers index them in the background.`)
}

export async function retryFailedRows(admin: ServiceClient, options: { readonly tenant?: string }): Promise<void> {
  const { body } = await admin.call<Enqueued>('/api/v1/admin/indexing/retry', {
    method: 'POST',
    query: { tenant_id: options.tenant },
  })
  console.log(`${body.enqueued} failed rows are enqueued again.`)
}
