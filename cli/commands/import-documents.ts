import type { components } from '../../api/contract/contract.gen.js'
import { withRetries } from '../retries.js'
import type { ServiceClient } from '../service-client.js'
import { complainOfRefused, digestOf, importChunks, type ImportOptions } from './import-chunks.js'
import type { Chunk, Complain } from './import-lines.js'
import { dropPlace, keepPlace, type Place, readPlace } from './place-file.js'
import { tenantOf } from './tenant.js'

type BulkAnswer = components['schemas']['DocumentBulkAnswer']

export interface DocumentCounts {
  created: number
  updated: number
  /** Said the same already. */
  unchanged: number
  errors: number
}

interface ImportPlace extends Place {
  /** The last line that was sent. */
  readonly line: number
  readonly counts: DocumentCounts
}

const NOTHING: DocumentCounts = { created: 0, updated: 0, unchanged: 0, errors: 0 }

/** What a line cannot say, and how it is said for the whole file. */
const ELSEWHERE = { tenant_id: '--tenant', agent_id: '--agent', collection: 'the collection' }

export interface DocumentFile {
  readonly collection: string
  readonly file: string
}

/**
 * Writes a file of one document a line (`doc_id`, `data` and, if it is another than the caller's, `fleet_id`) through the bulk route. One that
 * was broken off goes on behind the last chunk that was answered, as long as the file, the options and the service's address are the same. A chunk that is sent
 * again changes nothing, unless a name is in it more than once: that document goes through all of its lines once more, and ends as the
 * last of them has it. Where the place cannot be kept a run begins again: slower, with the same end. Bad lines are reported with their
 * number and passed over.
 */
export async function importDocuments(
  service: ServiceClient,
  { collection, file }: DocumentFile,
  options: ImportOptions,
): Promise<DocumentCounts> {
  const tenant_id = await tenantOf(service, options)
  const target = { tenant_id, agent_id: options.agent, fleet_id: options.fleet, collection }
  const digest = await digestOf(file, { url: service.url, ...target })
  const place = await readPlace<ImportPlace>(file, 'import', digest)
  const skip = place?.line ?? 0
  const counts = { ...(place?.counts ?? NOTHING) }
  if (skip > 0) console.error(`goes on behind line ${skip}`)
  await importChunks(file, counts, { elsewhere: ELSEWHERE, skip }, async (chunk, complain) => {
    const body = { ...target, items: chunk.items }
    const { body: answer } = await withRetries(options.retryMs ?? 500, () =>
      service.call<BulkAnswer>('/api/v1/documents/bulk', { method: 'POST', body }),
    )
    note(answer, chunk, counts, complain)
    const reached: ImportPlace = { digest, line: chunk.lastLine, counts }
    await keepPlace(file, 'import', reached)
  })
  await dropPlace(file, 'import')
  return counts
}

function note(answer: BulkAnswer, chunk: Chunk, counts: DocumentCounts, complain: Complain): void {
  counts.created += answer.created
  counts.updated += answer.updated
  counts.unchanged += answer.unchanged
  complainOfRefused(chunk, answer.results, complain)
}

/** 1 when a line was refused. */
export async function importDocumentsCommand(
  service: ServiceClient,
  target: DocumentFile,
  options: ImportOptions,
): Promise<number> {
  const { created, updated, unchanged, errors } = await importDocuments(service, target, options)
  console.log(`${created} documents created, ${updated} changed, ${unchanged} as they were, ${errors} lines refused.`)
  return errors === 0 ? 0 : 1
}
