import { isBlank } from '../../domain/text/characters.js'
import { CommandError } from '../failure.js'
import { type Channel, channelDays, type ChannelImport, type ChannelMessage } from './channel.js'
import { timeOf } from './conversation.js'
import { type ExportFile, exportFiles } from './export-files.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'
import { type StreamedValue, valuesIn, type WantedValues } from './json-stream.js'
import type { Found, LeftOut } from './source.js'

const RESULT = /(^|\/)result\.json$/
/** A file has one chat, or all of them in lists. */
const CHATS = ['$', '$.chats.list.*', '$.left_chats.list.*']
const WANTED: WantedValues = {
  ofArray: null,
  ofObject: CHATS.flatMap((chat) => ['name', 'id', 'messages.*'].map((key) => `${chat}.${key}`)),
  expected: 'an export of Telegram',
  called: 'message',
}
const TYPES = ['message', 'service', 'unsupported']
/** Members of a message that has more than its text. */
const MEDIA = ['photo', 'file', 'media_type']
const PLACES = ['location_information', 'contact_information']

/**
 * Yields the memories of an export of Telegram Desktop in JSON: a `result.json` with one chat or with all of them, or the folder that it is in.
 * The format is described in docs/import.md. Throws CommandError for what cannot be read.
 */
export async function* readTelegram(source: string, options: ChannelImport): AsyncGenerator<Found, void, undefined> {
  let found = 0
  for await (const file of exportFiles(source, RESULT)) {
    found++
    yield* chatsIn(file, options)
  }
  if (found === 0) throw new CommandError(`there is no result.json of Telegram in ${source}.`)
}

/** Reads chat after chat: the name and id of one come before its messages, and all of it before the next one. */
async function* chatsIn(file: ExportFile, options: ChannelImport): AsyncGenerator<Found, void, undefined> {
  const values = valuesIn(file, WANTED)
  let [count, chats] = [0, 0]
  let next = await values.next()
  while (!next.done) {
    const chat = chatOf(next.value)
    let [name, id]: (string | null)[] = [null, null]
    for (; !next.done && chatOf(next.value) === chat && !isMessage(next.value); next = await values.next()) {
      const { value, keys } = next.value
      if (keys.at(-1) === 'name') name = typeof value === 'string' ? value : null
      else id = String(value)
    }
    chats++
    const channel: Channel = { id: id ?? String(chats), name: name ?? `chat ${chats}` }
    const messages = async function* (): AsyncGenerator<JsonObject> {
      for (; !next.done && chatOf(next.value) === chat; next = await values.next()) {
        const { value } = next.value
        if (!isMessage(next.value) || !isObject(value)) continue
        if (TYPES.includes(textOf(value, 'type') ?? '')) count++
        yield value
      }
    }
    yield* channelDays(channel, messages(), (value, leftOut) => messageOf(value, channel.id, leftOut), options)
  }
  if (count === 0) throw new CommandError(`${file.name} has no messages of Telegram.`)
}

function isMessage({ keys }: StreamedValue): boolean {
  return keys.at(-2) === 'messages'
}

/** Returns what leads to the chat that a value is of. */
function chatOf(value: StreamedValue): string {
  return JSON.stringify(value.keys.slice(0, isMessage(value) ? -2 : -1))
}

/** Reads a message. The author of one whose account is deleted has an id and no name. */
function messageOf(message: JsonObject, chat: string, leftOut: LeftOut): ChannelMessage | null {
  if (textOf(message, 'type') !== 'message') {
    leftOut.add('notices of channels')
    return null
  }
  if (MEDIA.some((key) => member(message, key) !== undefined)) leftOut.add('images, files and recordings')
  if (PLACES.some((key) => member(message, key) !== undefined)) leftOut.add('places and contacts')
  const text = [textIn(member(message, 'text')), pollIn(member(message, 'poll'))].filter(Boolean).join('\n')
  if (isBlank(text)) return null
  const id = String(member(message, 'id') ?? '')
  return {
    id,
    author: textOf(message, 'from') ?? textOf(message, 'from_id'),
    text,
    time: sentAt(message),
    url: `telegram:${chat}/${id}`,
  }
}

/** Returns a text that is a string, or a list of strings and of objects with the text of a link, a name and the like. */
function textIn(text: unknown): string {
  if (typeof text === 'string') return text
  const parts = Array.isArray(text) ? (text as unknown[]) : []
  return parts.map((part) => (typeof part === 'string' ? part : isObject(part) ? shownText(part) : '')).join('')
}

/** Returns a part of a text as people read it: a link with its address, where that is not its text. */
function shownText(part: JsonObject): string {
  const [text, address] = [textOf(part, 'text') ?? '', textOf(part, 'href')]
  return address === null || address === text ? text : `${text} (${address})`
}

/** Returns the question of a poll with its answers, each on a line. */
function pollIn(poll: unknown): string {
  if (!isObject(poll)) return ''
  const answers = listOf(poll, 'answers').filter(isObject)
  return [textIn(member(poll, 'question')), ...answers.map((answer) => `- ${textIn(member(answer, 'text'))}`)].join(
    '\n',
  )
}

/** Returns the time of a message; older exports have it without an offset, which is read as UTC. */
function sentAt(message: JsonObject): Date | null {
  const seconds = textOf(message, 'date_unixtime')
  return timeOf(seconds === null ? Date.parse(`${textOf(message, 'date')}Z`) : Number(seconds) * 1000)
}
