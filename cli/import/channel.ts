import { LeftOut, memoriesOf, type Found, type MemoryItem, type SharedFields } from './source.js'

/** A channel, group or direct chat of an export. */
export interface Channel {
  readonly id: string
  readonly name: string
}

/** A message that people sent one another. */
export interface ChannelMessage {
  readonly id: string
  /** The name of its author; null where the export has none. */
  readonly author: string | null
  readonly text: string
  readonly time: Date | null
  readonly url: string
  /** The first message of its thread. */
  readonly thread?: string
}

/** Format, and what every memory of an import has. */
export interface ChannelImport {
  readonly format: string
  readonly shared: SharedFields
}

/** Longest name of an entity, in code points. */
const MOST_NAME = 200

/**
 * Yields the memories of a channel, a place for each day. A message is an episode that names its author as an entity; those of a day, and
 * those of a thread, are a run, so that each is evidence for its neighbours. `read` returns null for a message that it leaves out.
 */
export async function* channelDays<Value>(
  channel: Channel,
  values: AsyncIterable<Value>,
  read: (value: Value, leftOut: LeftOut) => ChannelMessage | null,
  { format, shared }: ChannelImport,
): AsyncGenerator<Found, void, undefined> {
  let day = ''
  let memories: MemoryItem[] = []
  let leftOut = new LeftOut()
  const take = (): Found => {
    const found = { place: `${channel.name} on ${day || 'no day'}`, memories, leftOut }
    memories = []
    leftOut = new LeftOut()
    return found
  }
  for await (const value of values) {
    const message = read(value, leftOut)
    if (message === null) continue
    const own = message.time?.toISOString().slice(0, 10) ?? ''
    if (own !== day && memories.length > 0) yield take()
    day = own
    memories.push(...memoriesOf(sourceText(message, channel, day, format), shared))
  }
  if (memories.length > 0 || leftOut.counts.size > 0) yield take()
}

function sourceText(message: ChannelMessage, channel: Channel, day: string, format: string) {
  const { id, author, text, time, url, thread } = message
  return {
    content: text,
    title: channel.name,
    tags: [],
    memory_type: 'episode' as const,
    run_id: runId(format, channel.id, thread ?? day),
    source_uri: url,
    ...(time !== null && { ts_valid_start: time.toISOString() }),
    ...(author !== null && /[\p{L}\p{N}]/u.test(author) && { entity_links: [authorLink(author)] }),
    metadata: {
      imported_from: format,
      channel: channel.name,
      channel_id: channel.id,
      message_id: id,
      ...(author !== null && { author }),
      ...(thread !== undefined && { thread_id: thread }),
    },
  }
}

function authorLink(author: string) {
  return { name: [...author].slice(0, MOST_NAME).join(''), entity_type: 'person', role: 'author' }
}

/** Returns the id of a run of what ids may hold, for ids and names that an export has. */
function runId(...parts: readonly string[]): string {
  const id = parts.filter((part) => part !== '').join(':')
  return [...id.replace(/[^\p{L}\p{M}\p{N}._:@|#+=~-]/gu, '_')].slice(0, 200).join('')
}
