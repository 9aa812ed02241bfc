import type { components } from '../../contract/contract.gen.js'
import { withRetries } from '../retries.js'
import type { ServiceClient } from '../service-client.js'
import { reportRefusedLines, digestOf, importChunks, type ImportOptions } from './import-chunks.js'
import type { Chunk, ReportLineError } from './import-lines.js'
import { tenantOf } from './tenant.js'

type BulkAnswer = components['schemas']['BulkAnswer']

export interface ImportCounts {
  created: number
  /** Lines whose memories existed already. */
  duplicates: number
  errors: number
}

interface ChunkAnswer {
  readonly answer: BulkAnswer
  /** True for the stored answer of an earlier request, whose memories were created then. */
  readonly replayed: boolean
}

/**
 * Writes a file with one memory per line through the bulk route. Repeating it changes nothing: a chunk's
 * idempotency key is derived from the file, the options and its position in the file, and after the key's lifetime each
 * item is a duplicate. Bad lines are reported with their number and skipped.
 */
export async function importFile(service: ServiceClient, file: string, options: ImportOptions): Promise<ImportCounts> {
  const tenant = await tenantOf(service, options)
  const target = { tenant_id: tenant, agent_id: options.agent, fleet_id: options.fleet }
  const digest = await digestOf(file, target)
  const counts: ImportCounts = { created: 0, duplicates: 0, errors: 0 }
  await importChunks(file, counts, {}, async (chunk, reportLineError) => {
    const key = `import-${digest}-${chunk.firstLine}`
    note(
      await send(service, { ...target, items: chunk.items }, key, options.retryMs ?? 500),
      chunk,
      counts,
      reportLineError,
    )
  })
  return counts
}

function note({ answer, replayed }: ChunkAnswer, chunk: Chunk, counts: ImportCounts, reportLineError: ReportLineError) {
  counts.created += replayed ? 0 : answer.created
  counts.duplicates += answer.duplicates + (replayed ? answer.created : 0)
  reportRefusedLines(chunk, answer.results, reportLineError)
}

/** Sends one chunk. The key makes it one write, however often it is sent. */
async function send(service: ServiceClient, body: unknown, key: string, retryMs: number): Promise<ChunkAnswer> {
  const answer = await withRetries(retryMs, () =>
    service.call<BulkAnswer>('/api/v1/memories/bulk', { method: 'POST', body, idempotencyKey: key }),
  )
  return { answer: answer.body, replayed: answer.isReplay }
}

/** Runs the import, prints its counts and resolves to the exit code: 1 when a line was refused. */
export async function importCommand(service: ServiceClient, file: string, options: ImportOptions): Promise<number> {
  const { created, duplicates, errors } = await importFile(service, file, options)
  console.log(`${created} memories written, ${duplicates} existed already, ${errors} lines refused.`)
  return errors === 0 ? 0 : 1
}
