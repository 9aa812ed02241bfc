import { SingleBar } from 'cli-progress'
import { distance } from 'fastest-levenshtein'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import type { CallOptions } from '../../client/index.js'
import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { CommandError } from '../failure.js'
import { printable, printableJson } from '../printable.js'
import { type ServiceClient, retryOptions } from '../service-client.js'
import { type Checkpoint, deleteCheckpoint, saveCheckpoint, readCheckpoint } from './checkpoint.js'
import { tenantOf } from './tenant.js'

type Collections = components['schemas']['Collections']

export interface ExportOptions {
  readonly tenant?: string
  readonly fleet?: string
  /** The `doc_id` after which the export begins. */
  readonly after?: string
  /** The file to write instead of stdout. */
  readonly output?: string
  /** Wait before the first retry; doubles with each further one. */
  readonly retryMs?: number
}

/** Where an interrupted export into a file continues. */
interface ExportCheckpoint extends Checkpoint {
  /** Size of the file with all whole pages; what stands behind them is written again. */
  readonly bytes: number
  /** The `doc_id` of the last document in them; undefined while there is none. */
  readonly after: string | undefined
  /** Digest of their end, by which the file is known again. */
  readonly tail: string
}

/** Bytes at the end of the whole pages, or of a torn first one, that are compared. */
const TAIL_BYTES = 4_096

/**
 * Writes a collection as one document per line, ordered by `doc_id`, and returns how many it wrote. An interrupted
 * export into a file continues after its last whole page if it is repeated with the same arguments. Documents
 * written meanwhile are included where their `doc_id` lies after that point, others are not.
 */
async function exportDocuments(service: ServiceClient, collection: string, options: ExportOptions): Promise<number> {
  const tenant_id = await tenantOf(service, options)
  const query = { tenant_id, fleet_id: options.fleet }
  const target = { url: service.url, collection, ...query }
  const call = retryOptions(options.retryMs)
  const expected = await countDocuments(service, collection, query, call)
  const sink = options.output === undefined ? outputSink() : await fileSink(options.output, target)
  let after = sink.after ?? options.after
  let count = 0
  const bar = new SingleBar({ format: '{bar} {value} documents | {duration_formatted}', stream: process.stderr })
  bar.start(expected, 0)
  try {
    for (let isLast = false; !isLast;) {
      const page = await service.listDocuments({ ...query, collection, after, limit: 200 }, call)
      const last = page.items.at(-1)?.doc_id ?? after
      await sink.write(page.items.map((row) => `${JSON.stringify(lineOf(row))}\n`).join(''), last)
      after = last
      isLast = page.next_cursor === null
      bar.update((count += page.items.length))
    }
  } catch (error) {
    if (after !== undefined) console.error(`interrupted after ${JSON.stringify(after)}: continue with --after`)
    throw error
  } finally {
    bar.stop()
    await sink.end()
  }
  await sink.complete()
  return count
}

/**
 * Throws CommandError for a collection without any document, since its name is wrong. Within one fleet it may be empty.
 */
async function countDocuments(
  service: ServiceClient,
  collection: string,
  query: { readonly tenant_id: string; readonly fleet_id: string | undefined },
  call: CallOptions,
): Promise<number> {
  const list = async (fleet_id?: string) => {
    const { collections } = await service.listCollections({ ...query, fleet_id }, call)
    return collections
  }
  const countIn = (known: Collections['collections']) => known.find(({ name }) => name === collection)?.count
  const inFleet = countIn(await list(query.fleet_id))
  if (inFleet !== undefined) return inFleet
  const known = await list()
  if (countIn(known) !== undefined) return 0
  const nearest = known.map(({ name }) => name).sort((a, b) => distance(a, collection) - distance(b, collection))
  const others = nearest.length === 0 ? 'it has none' : `nearest: ${nearest.slice(0, 3).join(', ')}`
  throw new CommandError(printable(`there is no collection ${collection} in tenant ${query.tenant_id} (${others}).`))
}

function lineOf({ doc_id, fleet_id, data }: components['schemas']['Document']): object {
  return { doc_id, fleet_id, data }
}

interface Sink {
  /** The last document that has been written already. */
  readonly after?: string | undefined
  /** Writes a page; `after` is the last document that is written then. */
  write(text: string, after: string | undefined): Promise<void>
  end(): Promise<void>
  /** Removes the checkpoint. Called after `end`, when nothing is left to continue with. */
  complete(): Promise<void>
}

function outputSink(): Sink {
  return {
    async write(text) {
      const shown = process.stdout.isTTY ? printableJson(text) : text
      if (!process.stdout.write(shown)) await once(process.stdout, 'drain')
    },
    end: () => Promise.resolve(),
    complete: () => Promise.resolve(),
  }
}

/**
 * Opens the file for appending; the first write removes what stands behind its last whole page. Throws CommandError for
 * a file that is not an interrupted export with the same arguments.
 */
async function fileSink(file: string, target: object): Promise<Sink> {
  const digest = digestOf(JSON.stringify(target))
  const checkpoint = await readCheckpoint<ExportCheckpoint>(file, 'export', digest)
  const handle = await open(file, 'a+').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be written (${error.code ?? String(error)}).`)
  })
  try {
    const { size } = await handle.stat()
    const begun = checkpoint && (await tailDigest(handle, checkpoint.bytes)) === checkpoint.tail ? checkpoint : null
    if (size > 0 && !begun) throw otherFile(file)
    let bytes = begun?.bytes ?? 0
    let isTorn = size > bytes
    const save = async (after: string | undefined) =>
      saveCheckpoint(file, 'export', { digest, bytes, after, tail: await tailDigest(handle, bytes) })
    if (!(await save(begun?.after))) throw new CommandError(`The checkpoint of ${file} cannot be written beside it.`)
    return {
      after: begun?.after,
      async write(text, after) {
        if (isTorn && bytes === 0 && !(await isBeginningOf(handle, size, text))) throw otherFile(file)
        if (isTorn) await handle.truncate(bytes)
        isTorn = false
        await handle.appendFile(text)
        bytes += Buffer.byteLength(text)
        await save(after)
      },
      end: () => handle.close(),
      complete: () => deleteCheckpoint(file, 'export'),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function otherFile(file: string): CommandError {
  return new CommandError(
    `${file} is not an interrupted export with the same arguments: remove it, or give another --output.`,
  )
}

/** Returns true when the file of this size may be the beginning of the page: of a first page that was not written completely. */
async function isBeginningOf(handle: FileHandle, size: number, page: string): Promise<boolean> {
  const begun = await bytesOf(handle, 0, Math.min(size, TAIL_BYTES))
  return size <= Buffer.byteLength(page) && Buffer.from(page).subarray(0, begun.length).equals(begun)
}

async function tailDigest(handle: FileHandle, bytes: number): Promise<string> {
  const start = Math.max(0, bytes - TAIL_BYTES)
  return digestOf(await bytesOf(handle, start, bytes - start))
}

/** Returns the bytes from `start` on; fewer where the file ends before. */
async function bytesOf(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
  return buffer.subarray(0, bytesRead)
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

export async function exportCommand(
  service: ServiceClient,
  collection: string,
  options: ExportOptions,
): Promise<number> {
  if (options.output !== undefined && options.after !== undefined)
    throw new CommandError('--output continues after the last document in the file; --after is for stdout only.', 2)
  const count = await exportDocuments(service, collection, options)
  console.error(`${counted(count, 'document')} exported.`)
  return 0
}
