import { SingleBar } from 'cli-progress'
import { createHash } from 'node:crypto'
import path from 'node:path'
import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { readChats } from '../import/chat-export.js'
import { readChatgpt } from '../import/chatgpt.js'
import { readClaude } from '../import/claude.js'
import { claudeProjects } from '../import/claude-projects.js'
import { readDiscord } from '../import/discord.js'
import { conversationFound, type ReadConversation } from '../import/conversation.js'
import { readNotes } from '../import/markdown.js'
import { readSlack } from '../import/slack.js'
import { type Found, LeftOut, type MemoryItem, type SharedFields } from '../import/source.js'
import { readTelegram } from '../import/telegram.js'
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
export type SourceFormat = 'chatgpt' | 'claude' | 'slack' | 'discord' | 'telegram' | 'markdown'

export interface SourceOptions extends ImportOptions {
  readonly tag?: readonly string[]
  readonly visibility?: MemoryItem['visibility']
  readonly dryRun?: boolean
  /** Ends with 1 where anything was left out, or warned of. */
  readonly strict?: boolean
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

  const { digest, places, memories, faults, told, isPartial } = await survey(read(), target)
  for (const line of told) console.error(printable(line))
  const exitCode = (errors: number) => (errors > 0 || (options.strict && isPartial) ? 1 : 0)
  if (options.dryRun) {
    faults.print()
    console.log(
      `${counted(memories, 'memory', 'memories')} of ${counted(places, ...PLACES[source.format])} would be written, ${faults.count} refused.`,
    )
    return exitCode(faults.count)
  }
  const place = { digest: `${digest} ${service.url}` }
  const checkpoint = await readCheckpoint<SourceCheckpoint>(file, 'import', place.digest)
  const counts = { ...(checkpoint?.counts ?? { created: 0, duplicates: 0, errors: faults.count }) }
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
      for (const refusal of refusalsIn(answer.answer, chunk)) faults.add(refusal)
      counts.errors += answer.answer.errors
      bar.update(chunk.first + chunk.items.length)
      const reached: SourceCheckpoint = { ...place, sent: chunk.first + chunk.items.length, counts }
      await saveCheckpoint(file, 'import', reached)
    }
  } finally {
    bar.stop()
    faults.print()
  }
  await deleteCheckpoint(file, 'import')
  console.log(
    `${counted(counts.created, 'memory', 'memories')} written, ${counts.duplicates} existed already, ${counts.errors} refused.`,
  )
  await reportUnseenFleet(service, options.fleet)
  return exitCode(counts.errors)
}

/** One and many of the places that a format's memories come from. */
const PLACES: Readonly<Record<SourceFormat, readonly [string, string]>> = {
  chatgpt: ['conversation', 'conversations'],
  claude: ['conversation or project', 'conversations and projects'],
  slack: ['day of a channel', 'days of channels'],
  discord: ['day of a channel', 'days of channels'],
  telegram: ['day of a chat', 'days of chats'],
  markdown: ['note', 'notes'],
}

const CONVERSATIONS = { chatgpt: readChatgpt, claude: readClaude } satisfies Record<string, ReadConversation>
const CHANNELS = { slack: readSlack, discord: readDiscord, telegram: readTelegram }

async function* readSource({ format, path: file }: SourceName, shared: SharedFields): AsyncGenerator<Found> {
  if (format === 'markdown') return yield* readNotes(file, shared)
  if (format === 'slack' || format === 'discord' || format === 'telegram')
    return yield* CHANNELS[format](file, { format, shared })
  const conversation = { format, read: CONVERSATIONS[format] }
  const others = format === 'claude' ? claudeProjects(shared) : null
  yield* readChats(file, (value, number) => conversationFound(value, number, conversation, shared), others)
}

/** Milliseconds after which a reading that goes on says how far it is. */
const TOLD_EVERY_MS = 10_000

/** Reads a source as a whole. The digest is one of the memories, and of where they are written; `told` says what is not written, and why. */
async function survey(source: AsyncIterable<Found>, target: unknown) {
  const hash = createHash('sha256').update(JSON.stringify(target))
  const [faults, warnings, leftOut] = [new Lines(), new Lines(), new LeftOut()]
  let [places, memories, toldAt] = [0, 0, Date.now()]
  for await (const found of source) {
    places++
    memories += found.memories.length
    if (found.fault !== undefined) faults.add(`${found.place}: ${found.fault}`)
    if (found.warning !== undefined) warnings.add(`${found.place}: ${found.warning}`)
    if (found.leftOut !== undefined) leftOut.addAll(found.leftOut)
    for (const memory of found.memories) hash.update('\0').update(JSON.stringify(memory))
    if (Date.now() - toldAt < TOLD_EVERY_MS) continue
    toldAt = Date.now()
    console.error(`reading: ${counted(memories, 'memory', 'memories')} of ${counted(places, 'place')} so far`)
  }
  const kinds = [...leftOut.counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} (${count})`)
  const told = [...warnings.lines(), ...(kinds.length > 0 ? [`left out: ${kinds.join(', ')}`] : [])]
  return { digest: hash.digest('hex').slice(0, 32), places, memories, faults, told, isPartial: told.length > 0 }
}

/** Most lines that are kept of a source that may have millions of faults. */
const MOST_LINES = 1_000

/** Lines to print: the first of them, and how many more there were. */
class Lines {
  readonly #kept: string[] = []
  count = 0

  add(line: string): void {
    if (this.count++ < MOST_LINES) this.#kept.push(line)
  }

  lines(): readonly string[] {
    const more = this.count - this.#kept.length
    return more > 0 ? [...this.#kept, `and ${more} more like these.`] : this.#kept
  }

  print(): void {
    for (const line of this.lines()) console.error(printable(line))
  }
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
