import type { components } from '../../contract/contract.gen.js'
import type { ServiceClient } from '../service-client.js'

type Enqueued = components['schemas']['Enqueued']
type Enrichment = components['schemas']['Enrichment']

export interface EnrichOptions {
  readonly tenant?: string
  readonly retryFailed?: boolean
  readonly status?: boolean
}

const PATH = '/api/v1/admin/enrichment'

export async function enrich(admin: ServiceClient, { tenant, retryFailed, status }: EnrichOptions): Promise<void> {
  if (!status) {
    const query = { tenant_id: tenant, retry_failed: retryFailed ? 'true' : undefined }
    const { body } = await admin.call<Enqueued>(PATH, { method: 'POST', query })
    console.log(`${body.enqueued} memories are enqueued; workers of the queue "enrichment" let the model read them.`)
  }
  const { body } = await admin.call<Enrichment>(PATH, { query: { tenant_id: tenant } })
  const { model, waiting, today } = body
  console.log(`${model ?? 'No language model'}: ${waiting} memories wait to be read.`)
  console.log(
    `Today: ${today.enriched} read, ${today.failed} failed, ${today.calls} calls, ` +
      `${today.input_tokens} tokens in and ${today.output_tokens} out.`,
  )
}
