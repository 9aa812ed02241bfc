import { SingleBar } from 'cli-progress'
import { createHash } from 'node:crypto'
import path from 'node:path'
import type { components } from '../../contract/contract.gen.js'
import { readConversations } from '../import/chat-export.js'
import { readChatgpt } from '../import/chatgpt.js'
import { readClaude } from '../import/claude.js'
import { conversationFound, type ReadConversation } from '../import/conversation.js'
import { readNotes } from '../import/markdown.js'
import type { Found, MemoryItem, SharedFields } from '../import/source.js'
import { printable } from '../printable.js'
import { describeItemError } from '../refusals.js'
import type { ServiceClient } from '../service-client.js'
import { deleteCheckpoint, readCheckpoint, saveCheckpoint, type Checkpoint } from './checkpoint.js'
import type { ImportOptions } from './import-chunks.js'
import { addAnswer, type ImportCounts, sendMemories } from './import-file.js'
import { MAX_BYTES, MAX_ITEMS } from './import-lines.js'
import { tenantOf } from './tenant.js'
import { reportUnseenFleet } from './unseen-fleet.js'

/** Formats of `--from`, and what reads each. */
export type SourceFormat = 'chatgpt' | 'claude' | 'markdown'

export interface SourceOptions extends ImportOptions {
  readonly tag?: readonly string[]
  readonly visibility?: MemoryItem['visibility']
  readonly dryRun?: boolean
}

interface SourceName {
  readonly format: SourceFormat
  readonly path: string
}

type BulkAnswer = components['schemas']['BulkAnswer']

interface SourceCheckpoint extends Checkpoint {
  /** Memories that were sent. */
  readonly sent: number
  readonly counts: ImportCounts
}

/**
 * Writes the memories of a chat export or of a folder of notes. The source is read twice: first as a whole, so that
 * nothing of one that breaks off is written, then chunk by chunk, so that one of any size fits in memory. An interrupted
 * import continues after the last chunk that was answered, as long as the source, the options and the service's address
 * are the same. Repeating it changes nothing: a chunk's idempotency key is derived from the source, the options and its
 * position, and after the key's lifetime each memory is a duplicate.
 */
export async function importFrom(service: ServiceClient, source: SourceName, options: SourceOptions): Promise<number> {
  const tenant = await tenantOf(service, options)
  const target = { tenant_id: tenant, agent_id: options.agent, fleet_id: options.fleet }
  const file = path.resolve(source.path)
  const shared: SharedFields = { tags: options.tag ?? [], visibility: options.visibility }
  const read = () => readSource({ ...source, path: file }, shared)

  const { digest, places, memories, faults } = await survey(read(), target)
  if (options.dryRun) {
    printFaults(faults)
    console.log(
      `${memories} memories of ${places} ${PLACES[source.format]} would be written, ${faults.length} refused.`,
    )
    return faults.length === 0 ? 0 : 1
  }
  const place = { digest: `${digest} ${service.url}` }
  const checkpoint = await readCheckpoint<SourceCheckpoint>(file, 'import', place.digest)
  const counts = { ...(checkpoint?.counts ?? { created: 0, duplicates: 0, errors: faults.length }) }
  const skip = checkpoint?.sent ?? 0
  if (skip > 0) console.error(`continues after memory ${skip} of ${memories}`)

  const bar = new SingleBar({
    format: '{bar} {percentage}% | {value} of {total} memories | {duration_formatted}',
    stream: process.stderr,
  })
  bar.start(memories, skip)
  try {
    for await (const chunk of chunksOf(read(), skip)) {
      const body = { ...target, items: chunk.items }
      const answer = await sendMemories(service, body, `import-${digest}-${chunk.first}`, options.retryMs)
      addAnswer(answer, counts)
      faults.push(...refusalsIn(answer.answer, chunk))
      counts.errors += answer.answer.errors
      bar.update(chunk.first + chunk.items.length)
      const reached: SourceCheckpoint = { ...place, sent: chunk.first + chunk.items.length, counts }
      await saveCheckpoint(file, 'import', reached)
    }
  } finally {
    bar.stop()
    printFaults(faults)
  }
  await deleteCheckpoint(file, 'import')
  console.log(`${counts.created} memories written, ${counts.duplicates} existed already, ${counts.errors} refused.`)
  await reportUnseenFleet(service, options.fleet)
  return counts.errors === 0 ? 0 : 1
}

const PLACES: Readonly<Record<SourceFormat, string>> = {
  chatgpt: 'conversations',
  claude: 'conversations',
  markdown: 'notes',
}

const READERS: Readonly<Record<Exclude<SourceFormat, 'markdown'>, ReadConversation>> = {
  chatgpt: readChatgpt,
  claude: readClaude,
}

async function* readSource({ format, path: file }: SourceName, shared: SharedFields): AsyncGenerator<Found> {
  if (format === 'markdown') return yield* readNotes(file, shared)
  let number = 0
  for await (const value of readConversations(file))
    yield conversationFound(value, ++number, { format, read: READERS[format] }, shared)
}

/** Reads a source as a whole. The digest is one of the memories, and of where they are written. */
async function survey(source: AsyncIterable<Found>, target: unknown) {
  const hash = createHash('sha256').update(JSON.stringify(target))
  const faults: string[] = []
  let [places, memories] = [0, 0]
  for await (const found of source) {
    places++
    memories += found.memories.length
    if (found.fault !== undefined) faults.push(`${found.place}: ${found.fault}`)
    for (const memory of found.memories) hash.update('\0').update(JSON.stringify(memory))
  }
  return { digest: hash.digest('hex').slice(0, 32), places, memories, faults }
}

interface Chunk {
  /** Memories of the source before the chunk. */
  readonly first: number
  readonly items: readonly MemoryItem[]
  /** The place of each item. */
  readonly places: readonly string[]
}

/** Cuts a source into chunks, always the same ones. The first `skip` memories, which end where a chunk ends, are left out. */
async function* chunksOf(source: AsyncIterable<Found>, skip: number): AsyncGenerator<Chunk, void, undefined> {
  let chunk = { first: skip, items: [] as MemoryItem[], places: [] as string[] }
  let [passed, bytes] = [0, 0]
  const take = () => {
    const full = chunk
    chunk = { first: full.first + full.items.length, items: [], places: [] }
    bytes = 0
    return full
  }
  for await (const { place, memories } of source)
    for (const memory of memories) {
      if (passed++ < skip) continue
      const size = Buffer.byteLength(JSON.stringify(memory)) + 1
      if (chunk.items.length > 0 && bytes + size > MAX_BYTES) yield take()
      chunk.items.push(memory)
      chunk.places.push(place)
      bytes += size
      if (chunk.items.length === MAX_ITEMS) yield take()
    }
  if (chunk.items.length > 0) yield take()
}

function refusalsIn({ results }: BulkAnswer, { places }: Chunk): string[] {
  return results.flatMap(({ index, status, error }) =>
    status === 'error' ? `${places[index]}: ${describeItemError(error ?? {})}` : [],
  )
}

function printFaults(faults: readonly string[]): void {
  for (const fault of faults) console.error(printable(fault))
}
