import type { components } from '../../contract/types.js'
import type { Arguments } from '../../client/index.js'
import { counted } from '../../runtime/counted.js'
import { type ServiceClient, retryOptions } from '../service-client.js'
import { reportRefusedLines, digestOf, importChunks, type ImportOptions } from './import-chunks.js'
import type { Chunk, ReportLineError } from './import-lines.js'
import { deleteCheckpoint, saveCheckpoint, type Checkpoint, readCheckpoint } from './checkpoint.js'
import { tenantOf } from './tenant.js'

type BulkAnswer = components['schemas']['DocumentBulkAnswer']

interface DocumentCounts {
  created: number
  updated: number
  /** Lines whose documents were stored already with the same content. */
  unchanged: number
  errors: number
}

interface ImportCheckpoint extends Checkpoint {
  /** The last line that was sent. */
  readonly line: number
  readonly counts: DocumentCounts
}

const NO_COUNTS: DocumentCounts = { created: 0, updated: 0, unchanged: 0, errors: 0 }

/** Fields that a line cannot have, and the argument that sets each for the whole file. */
const FILE_LEVEL_FIELDS = { tenant_id: '--tenant', agent_id: '--agent', collection: 'the collection' }

interface DocumentFile {
  readonly collection: string
  readonly file: string
}

/**
 * Writes a file with one document per line (`doc_id`, `data` and, if it is not the caller's, `fleet_id`) through the
 * bulk route. An interrupted import continues after the last chunk that was answered, as long as the file, the options
 * and the service's address are the same. Sending a chunk again changes nothing, unless it contains a `doc_id` more
 * than once: that document goes through all of its lines once more, and ends as in the last of them. Where the
 * checkpoint cannot be written a repeated run starts from the beginning: slower, with the same result. Bad lines are
 * reported with their number and skipped.
 */
async function importDocuments(
  service: ServiceClient,
  { collection, file }: DocumentFile,
  options: ImportOptions,
): Promise<DocumentCounts> {
  const tenant_id = await tenantOf(service, options)
  const target = { tenant_id, agent_id: options.agent, fleet_id: options.fleet, collection }
  const digest = await digestOf(file, { url: service.url, ...target })
  const checkpoint = await readCheckpoint<ImportCheckpoint>(file, 'import', digest)
  const skip = checkpoint?.line ?? 0
  const counts = { ...(checkpoint?.counts ?? NO_COUNTS) }
  if (skip > 0) console.error(`continues after line ${skip}`)
  await importChunks(file, counts, { fileLevelFields: FILE_LEVEL_FIELDS, skip }, async (chunk, reportLineError) => {
    const args = { ...target, items: chunk.items } as Arguments<'putDocuments'>
    const answer = await service.putDocuments(args, retryOptions(options.retryMs))
    note(answer, chunk, counts, reportLineError)
    const reached: ImportCheckpoint = { digest, line: chunk.lastLine, counts }
    await saveCheckpoint(file, 'import', reached)
  })
  await deleteCheckpoint(file, 'import')
  return counts
}

function note(answer: BulkAnswer, chunk: Chunk, counts: DocumentCounts, reportLineError: ReportLineError): void {
  counts.created += answer.created
  counts.updated += answer.updated
  counts.unchanged += answer.unchanged
  reportRefusedLines(chunk, answer.results, reportLineError)
}

/** Runs the import, prints its counts and resolves to the exit code: 1 when a line was refused. */
export async function importDocumentsCommand(
  service: ServiceClient,
  target: DocumentFile,
  options: ImportOptions,
): Promise<number> {
  const { created, updated, unchanged, errors } = await importDocuments(service, target, options)
  console.log(
    `${counted(created, 'document')} created, ${updated} changed, ${unchanged} unchanged, ${counted(errors, 'line')} refused.`,
  )
  return errors === 0 ? 0 : 1
}
