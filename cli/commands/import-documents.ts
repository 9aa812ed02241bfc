import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { components } from '../../api/contract.gen.js'
import { withRetries } from '../retries.js'
import type { ServiceClient } from '../service-client.js'
import { complainOfRefused, digestOf, importChunks, type ImportOptions } from './import-chunks.js'
import type { Chunk, Complain } from './import-lines.js'
import { tenantOf } from './tenant.js'

type BulkAnswer = components['schemas']['DocumentBulkAnswer']

export interface DocumentCounts {
  created: number
  updated: number
  /** Said the same already. */
  unchanged: number
  errors: number
}

/** How far an import of a file is: kept beside it until it is done. */
interface Place {
  readonly digest: string
  /** The last line that was sent. */
  readonly line: number
  readonly counts: DocumentCounts
}

/** What a line cannot say, and how it is said for the whole file. */
const ELSEWHERE = { tenant_id: '--tenant', agent_id: '--agent', collection: 'the collection' }

export interface DocumentFile {
  readonly collection: string
  readonly file: string
}

/**
 * Writes a file of one document a line (`doc_id`, `data` and, if it is another than the caller's, `fleet_id`) through the bulk route. One that
 * was broken off goes on behind the last chunk that was answered, as long as the file and the options are the same; a chunk that is sent
 * again changes nothing. Bad lines are reported with their number and passed over.
 */
export async function importDocuments(
  service: ServiceClient,
  { collection, file }: DocumentFile,
  options: ImportOptions,
): Promise<DocumentCounts> {
  const tenant_id = await tenantOf(service, options)
  const target = { tenant_id, agent_id: options.agent, fleet_id: options.fleet, collection }
  const digest = await digestOf(file, target)
  const { line: skip, counts } = await readPlace(file, digest)
  if (skip > 0) console.error(`goes on behind line ${skip}`)
  await importChunks(file, counts, { elsewhere: ELSEWHERE, skip }, async (chunk, complain) => {
    const body = { ...target, items: chunk.items }
    const { body: answer } = await withRetries(options.retryMs ?? 500, () =>
      service.call<BulkAnswer>('/api/v1/documents/bulk', { method: 'POST', body }),
    )
    note(answer, chunk, counts, complain)
    await keepPlace(file, { digest, line: chunk.lastLine, counts })
  })
  await rm(placeFile(file), { force: true })
  return counts
}

function note(answer: BulkAnswer, chunk: Chunk, counts: DocumentCounts, complain: Complain): void {
  counts.created += answer.created
  counts.updated += answer.updated
  counts.unchanged += answer.unchanged
  complainOfRefused(chunk, answer.results, complain)
}

function placeFile(file: string): string {
  return `${file}.progress`
}

/** Where an earlier run stood; the beginning when it was of another file, or did other things with it. */
async function readPlace(file: string, digest: string): Promise<{ line: number; counts: DocumentCounts }> {
  const text = await readFile(placeFile(file), 'utf8').catch(() => '')
  try {
    const place = JSON.parse(text) as Place
    if (place.digest === digest) return { line: place.line, counts: { ...place.counts } }
  } catch {
    // None, or only half of one.
  }
  return { line: 0, counts: { created: 0, updated: 0, unchanged: 0, errors: 0 } }
}

/** Where it cannot be kept, a run that was broken off begins again: slower, with the same end. */
async function keepPlace(file: string, place: Place): Promise<void> {
  const target = placeFile(file)
  try {
    await writeFile(`${target}.new`, JSON.stringify(place))
    await rename(`${target}.new`, target)
  } catch {
    await rm(`${target}.new`, { force: true }).catch(() => undefined)
  }
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
