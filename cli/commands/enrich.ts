import type { ServiceClient } from '../service-client.js'

export interface EnrichOptions {
  readonly tenant?: string
  readonly retryFailed?: boolean
  readonly status?: boolean
}

export async function enrich(admin: ServiceClient, { tenant, retryFailed, status }: EnrichOptions): Promise<void> {
  if (!status) {
    const { enqueued } = await admin.enrichMemories({ tenant_id: tenant, retry_failed: retryFailed })
    console.log(`${enqueued} memories are enqueued; workers of the queue "enrichment" let the model read them.`)
  }
  const { model, waiting, today } = await admin.getEnrichment({ tenant_id: tenant })
  console.log(`${model ?? 'No language model'}: ${waiting} memories wait to be read.`)
  console.log(
    `Today: ${today.enriched} read, ${today.failed} failed, ${today.calls} calls, ` +
      `${today.input_tokens} tokens in and ${today.output_tokens} out.`,
  )
}
