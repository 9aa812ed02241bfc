import { isBlank } from '../../domain/text/characters.js'
import { CommandError } from '../failure.js'
import { type Channel, channelDays, type ChannelImport, type ChannelMessage } from './channel.js'
import { timeOf } from './conversation.js'
import { type ExportFile, exportFiles } from './export-files.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'
import { listedObjectsIn, objectsIn, valuesIn } from './json-stream.js'
import type { Found, LeftOut } from './source.js'

/** A folder of a channel in the data that Discord sends its users: their own messages. */
const OWN_MESSAGES = /(^|\/)c?(\d+)\/messages\.json$/
const OWN_CHANNEL = /(^|\/)c?(\d+)\/channel\.json$/
const OWN_ACCOUNT = /(^|\/)account\/user\.json$/i
const JSON_FILES = /\.json$/
/** Matches what data of some years ago has in the place of `OWN_MESSAGES`. */
const OLD_MESSAGES = /(^|\/)c?\d+\/messages\.csv$/
/**
 * Types of messages that somebody wrote; the others are notices, such as that somebody joined. DiscordChatExporter has names for few types and
 * writes the numbers of the others: 20 answers a command, 21 begins a thread, 23 answers a menu.
 */
const WRITTEN = ['Default', 'Reply', 'ThreadStarterMessage', 'ChatInputCommand', 'ContextMenuCommand', '20', '21', '23']

/**
 * Yields the memories of Discord: of the files of DiscordChatExporter in JSON, one for each channel, or of the data that Discord sends its users
 * on request, which has their own messages. The formats are described in docs/import.md. Throws CommandError for what cannot be read.
 */
export async function* readDiscord(source: string, options: ChannelImport): AsyncGenerator<Found, void, undefined> {
  const own = await ownData(source)
  let found = 0
  if (own)
    for await (const { path } of exportFiles(source, OLD_MESSAGES)) {
      found++
      yield {
        place: path,
        memories: [],
        fault: 'the import does not read this older form: ask Discord for your data again',
      }
    }
  for await (const file of exportFiles(source, own ? OWN_MESSAGES : JSON_FILES)) {
    const id = OWN_MESSAGES.exec(file.path)?.[2]
    if (own && id !== undefined) {
      found++
      const channel = { id, name: own.names.get(id) ?? `channel ${id}` }
      const read = (value: JsonObject, leftOut: LeftOut) => ownMessage(value, id, own.author, leftOut)
      yield* channelDays(channel, listedObjectsIn(file, 'message'), read, options)
      continue
    }
    const channel = own ? null : await exportedChannelOf(file)
    if (channel === null) continue
    found++
    const read = (value: JsonObject, leftOut: LeftOut) =>
      exportedMessage(value, `${channel.guild}/${channel.id}`, leftOut)
    yield* channelDays(channel, exportedMessagesIn(file), read, options)
  }
  if (found === 0) throw new CommandError(`there is no channel of Discord in ${source}.`)
}

interface OwnData {
  readonly author: string | null
  /** Names of the channels by their ids. */
  readonly names: ReadonlyMap<string, string>
}

/** Returns what the data of a user says about the user and the channels; null for files of DiscordChatExporter. */
async function ownData(source: string): Promise<OwnData | null> {
  const names = new Map<string, string>()
  for await (const file of exportFiles(source, OWN_CHANNEL)) {
    const id = OWN_CHANNEL.exec(file.path)?.[2]
    const channel = id === undefined ? null : await objectIn(file)
    if (channel === null) continue
    const guild = member(channel, 'guild')
    const name = textOf(channel, 'name')
    const place = isObject(guild) ? textOf(guild, 'name') : null
    names.set(id!, name === null ? `direct messages ${id}` : `#${name}${place === null ? '' : ` of ${place}`}`)
  }
  if (names.size === 0) return null
  let author: string | null = null
  for await (const file of exportFiles(source, OWN_ACCOUNT)) author ??= textOf((await objectIn(file)) ?? {}, 'username')
  return { author, names }
}

async function objectIn(file: ExportFile): Promise<JsonObject | null> {
  const wanted = { ofArray: null, ofObject: ['$'], expected: 'a JSON object', called: 'object' }
  for await (const object of objectsIn(file, wanted)) return object
  return null
}

function ownMessage(
  message: JsonObject,
  channel: string,
  author: string | null,
  leftOut: LeftOut,
): ChannelMessage | null {
  const attachments = (textOf(message, 'Attachments') ?? '').split(/\s+/).filter(Boolean)
  leftOut.add('images, files and recordings', attachments.length)
  const text = textOf(message, 'Contents') ?? ''
  if (isBlank(text)) return null
  const id = String(member(message, 'ID') ?? '')
  // `2024-05-01 10:00:00`, in UTC.
  const time = timeOf(Date.parse(`${(textOf(message, 'Timestamp') ?? '').slice(0, 19).replace(' ', 'T')}Z`))
  return { id, author, text, time, url: `https://discord.com/channels/@me/${channel}/${id}` }
}

interface ExportedChannel extends Channel {
  readonly guild: string
}

const EXPORTED = {
  ofArray: [],
  ofObject: ['$.guild', '$.channel', '$.messages.*'],
  expected: 'a channel of Discord',
  called: 'message',
}

/** Returns what stands before the messages of a file; null where it is no channel. */
async function exportedChannelOf(file: ExportFile): Promise<ExportedChannel | null> {
  let guild = '@me'
  for await (const { value, keys } of valuesIn(file, EXPORTED)) {
    if (!isObject(value) || keys[0] === 'messages') return null
    const id = textOf(value, 'id')
    if (keys[0] === 'channel') return { guild, id: id ?? file.path, name: `#${textOf(value, 'name') ?? file.path}` }
    // That of direct messages.
    if (id !== null && id !== '0') guild = id
  }
  return null
}

async function* exportedMessagesIn(file: ExportFile): AsyncGenerator<JsonObject> {
  for await (const { value, keys } of valuesIn(file, EXPORTED))
    if (isObject(value) && keys[0] === 'messages') yield value
}

function exportedMessage(message: JsonObject, place: string, leftOut: LeftOut): ChannelMessage | null {
  if (!WRITTEN.includes(textOf(message, 'type') ?? '')) {
    leftOut.add('notices of channels')
    return null
  }
  const forwarded = [member(message, 'forwardedMessage')].filter(isObject)
  for (const part of [message, ...forwarded])
    leftOut.add('images, files and recordings', listOf(part, 'attachments').length + listOf(part, 'stickers').length)
  const author = member(message, 'author')
  // Under what a person writes, boxes are previews of its links.
  const boxes = isObject(author) && member(author, 'isBot') === true ? listOf(message, 'embeds').filter(isObject) : []
  const texts = [message, ...forwarded].map((part) => textOf(part, 'content'))
  const text = [...texts, ...boxes.flatMap(boxTexts)].filter(Boolean).join('\n')
  if (isBlank(text)) return null
  const id = textOf(message, 'id') ?? ''
  return {
    id,
    author: isObject(author) ? (textOf(author, 'nickname') ?? textOf(author, 'name')) : null,
    text,
    time: timeOf(Date.parse(textOf(message, 'timestamp') ?? '')),
    url: `https://discord.com/channels/${place}/${id}`,
  }
}

/** Returns the texts of a box that a bot writes. */
function boxTexts(embed: JsonObject): (string | null)[] {
  const fields = listOf(embed, 'fields').filter(isObject)
  const named = fields.map((field) => [textOf(field, 'name'), textOf(field, 'value')].filter(Boolean).join(': '))
  return [textOf(embed, 'title'), textOf(embed, 'description'), ...named]
}
