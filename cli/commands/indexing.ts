import type { ServiceClient } from '../service-client.js'

export async function reindex(admin: ServiceClient, options: { readonly tenant?: string }): Promise<void> {
  const { enqueued } = await admin.reindex({ tenant_id: options.tenant })
  console.log(`${enqueued} rows are enqueued; the workers index them in the background.`)
}

export async function retryFailedRows(admin: ServiceClient, options: { readonly tenant?: string }): Promise<void> {
  const { enqueued } = await admin.retryIndexing({ tenant_id: options.tenant })
  console.log(`${enqueued} failed rows are enqueued again.`)
}
