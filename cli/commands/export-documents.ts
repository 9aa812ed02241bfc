import { SingleBar } from 'cli-progress'
import { distance } from 'fastest-levenshtein'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import type { components } from '../../api/contract/contract.gen.js'
import { CommandError } from '../failure.js'
import { printable, printableJson } from '../printable.js'
import { withRetries } from '../retries.js'
import type { ServiceClient } from '../service-client.js'
import { dropPlace, keepPlace, readPlace } from './place-file.js'
import { tenantOf } from './tenant.js'

type DocumentPage = components['schemas']['DocumentPage']
type Collections = components['schemas']['Collections']

export interface ExportOptions {
  readonly tenant?: string
  readonly fleet?: string
  /** Name of the document behind which it begins. */
  readonly after?: string
  /** Instead of the output. */
  readonly output?: string
  /** First wait after a failure that may pass; each further one doubles it. */
  readonly retryMs?: number
}

/** Longer than any line of an export. */
const LONGEST_LINE = 2 * 1024 * 1024

/**
 * Writes a collection as one document a line, by `doc_id`. Into a file that was broken off it goes on behind the last whole line, if it is
 * asked for the same as then; documents written behind the place meanwhile are in it, others are not. Returns how many it wrote.
 */
export async function exportDocuments(
  service: ServiceClient,
  collection: string,
  options: ExportOptions,
): Promise<number> {
  const tenant_id = await tenantOf(service, options)
  const query = { tenant_id, fleet_id: options.fleet }
  const target = { url: service.url, collection, ...query }
  const retryMs = options.retryMs ?? 500
  const expected = await countDocuments(service, collection, query, retryMs)
  const sink = options.output === undefined ? outputSink() : await fileSink(options.output, target)
  let after = sink.after ?? options.after
  let count = 0
  const bar = new SingleBar({ format: '{bar} {value} documents | {duration_formatted}', stream: process.stderr })
  bar.start(expected, 0)
  try {
    for (let isLast = false; !isLast;) {
      const { body: page } = await withRetries(retryMs, () =>
        service.call<DocumentPage>('/api/v1/documents', { query: { ...query, collection, after, limit: '200' } }),
      )
      await sink.write(page.items.map((row) => `${JSON.stringify(lineOf(row))}\n`).join(''))
      after = page.items.at(-1)?.doc_id ?? after
      isLast = page.next_cursor === null
      bar.update((count += page.items.length))
    }
  } catch (error) {
    if (after !== undefined) console.error(`broken off behind ${JSON.stringify(after)}: --after goes on there`)
    throw error
  } finally {
    bar.stop()
    await sink.end()
  }
  await sink.complete()
  return count
}

/** Throws CommandError for a collection that holds nothing at all: its name is wrong. In a fleet it may hold nothing. */
async function countDocuments(
  service: ServiceClient,
  collection: string,
  query: { readonly tenant_id: string; readonly fleet_id: string | undefined },
  retryMs: number,
): Promise<number> {
  const list = async (fleet_id?: string) => {
    const asked = { query: { ...query, fleet_id } }
    const { body } = await withRetries(retryMs, () => service.call<Collections>('/api/v1/documents/collections', asked))
    return body.collections
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
  /** The last document that is in it already. */
  readonly after?: string | undefined
  write(text: string): Promise<void>
  end(): Promise<void>
  /** After its end: nothing is left to go on with. */
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
 * What is behind the last whole line goes. Throws CommandError for a file in which there is something else than an export of the same
 * that was broken off: its last document would be no place to go on from.
 */
async function fileSink(file: string, target: object): Promise<Sink> {
  const digest = createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 32)
  const isBrokenOff = (await readPlace(file, 'export', digest)) !== null
  const handle = await open(file, 'a+').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be written (${error.code ?? String(error)}).`)
  })
  try {
    const { size } = await handle.stat()
    if (size > 0 && !isBrokenOff) {
      throw new CommandError(
        `${file} holds something else than an export of the same that was broken off: remove it, or give another --output.`,
      )
    }
    const after = await lastDocument(handle, file, size)
    if (!(await keepPlace(file, 'export', { digest }))) throw new CommandError(`Nothing can be written beside ${file}.`)
    return {
      after,
      write: async (text) => void (await handle.appendFile(text)),
      end: () => handle.close(),
      complete: () => dropPlace(file, 'export'),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Its name, undefined where there is none. What is behind its line is cut off. */
async function lastDocument(handle: FileHandle, file: string, size: number): Promise<string | undefined> {
  const from = Math.max(0, size - LONGEST_LINE)
  const tail = Buffer.alloc(size - from)
  await handle.read(tail, 0, tail.length, from)
  const end = tail.lastIndexOf('\n') + 1
  const line = tail.subarray(end < 2 ? 0 : tail.lastIndexOf('\n', end - 2) + 1, end).toString()
  const after = end === 0 && from === 0 ? undefined : docIdIn(line)
  if (after === null) throw new CommandError(`${file} does not end with a document: give another --output.`)
  await handle.truncate(from + end)
  return after
}

function docIdIn(line: string): string | null {
  try {
    const { doc_id } = JSON.parse(line) as { doc_id?: unknown }
    return typeof doc_id === 'string' ? doc_id : null
  } catch {
    return null
  }
}

export async function exportCommand(
  service: ServiceClient,
  collection: string,
  options: ExportOptions,
): Promise<number> {
  if (options.output !== undefined && options.after !== undefined)
    throw new CommandError('--output goes on behind the last document in the file; --after is for the output.', 2)
  const count = await exportDocuments(service, collection, options)
  console.error(`${count} documents exported.`)
  return 0
}
