import type { components } from '../../contract/types.js'
import type { Arguments } from '../../client/index.js'
import { counted } from '../../runtime/counted.js'
import { type ServiceClient, retryOptions } from '../service-client.js'
import { reportRefusedLines, digestOf, importChunks, type ImportOptions } from './import-chunks.js'
import { tenantOf } from './tenant.js'
import { reportUnseenFleet } from './unseen-fleet.js'

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
async function importFile(service: ServiceClient, file: string, options: ImportOptions): Promise<ImportCounts> {
  const tenant = await tenantOf(service, options)
  const target = { tenant_id: tenant, agent_id: options.agent, fleet_id: options.fleet }
  const digest = await digestOf(file, target)
  const counts: ImportCounts = { created: 0, duplicates: 0, errors: 0 }
  await importChunks(file, counts, {}, async (chunk, reportLineError) => {
    const key = `import-${digest}-${chunk.firstLine}`
    const answer = await sendMemories(service, { ...target, items: chunk.items }, key, options.retryMs)
    addAnswer(answer, counts)
    reportRefusedLines(chunk, answer.answer.results, reportLineError)
  })
  return counts
}

/** Adds what a chunk's answer says was written, or was there, to the counts. */
export function addAnswer({ answer, replayed }: ChunkAnswer, counts: ImportCounts): void {
  counts.created += replayed ? 0 : answer.created
  counts.duplicates += answer.duplicates + (replayed ? answer.created : 0)
}

/** Sends one chunk. The key makes it one write, however often it is sent. */
export async function sendMemories(
  service: ServiceClient,
  body: unknown,
  key: string,
  retryMs: number | undefined,
): Promise<ChunkAnswer> {
  const options = { idempotencyKey: key, ...retryOptions(retryMs) }
  const answer = await service.request('createMemories', body as Arguments<'createMemories'>, options)
  return { answer: answer.body, replayed: answer.headers.get('idempotent-replayed') === 'true' }
}

/** Runs the import, prints its counts and resolves to the exit code: 1 when a line was refused. */
export async function importCommand(service: ServiceClient, file: string, options: ImportOptions): Promise<number> {
  const { created, duplicates, errors } = await importFile(service, file, options)
  console.log(
    `${counted(created, 'memory', 'memories')} written, ${duplicates} existed already, ${counted(errors, 'line')} refused.`,
  )
  await reportUnseenFleet(service, options.fleet)
  return errors === 0 ? 0 : 1
}
