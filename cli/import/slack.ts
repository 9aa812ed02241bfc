import { isBlank } from '../../domain/text/characters.js'
import { decodeHTML } from 'entities'
import { CommandError } from '../failure.js'
import { channelDays, type ChannelImport, type ChannelMessage } from './channel.js'
import { timeOf } from './conversation.js'
import { exportFiles } from './export-files.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'
import { listedObjectsIn } from './json-stream.js'
import type { Found, LeftOut } from './source.js'

const USERS = /(^|\/)(org_)?users\.json$/
const CHANNELS = /(^|\/)(channels|groups|dms|mpims)\.json$/
const DAYS = /(^|\/)([^/]+)\/\d{4}-\d\d-\d\d\.json$/
/** Subtypes of messages that somebody wrote; the others are notices, such as that somebody joined. */
const WRITTEN = ['bot_message', 'me_message', 'thread_broadcast', 'file_share', 'reply_broadcast', 'file_comment']

/**
 * Yields the memories of a workspace of Slack, as its owner exports it: a .zip or a folder with `users.json`, `channels.json` and a folder for
 * each channel, with a file for each day. The format is described in docs/import.md. Throws CommandError for what cannot be read.
 */
export async function* readSlack(source: string, options: ChannelImport): AsyncGenerator<Found, void, undefined> {
  const names = await namesIn(source, USERS, nameOfUser)
  const ids = await namesIn(source, CHANNELS, (channel) => textOf(channel, 'id'), 'name')
  let found = 0
  for await (const file of exportFiles(source, DAYS)) {
    const folder = DAYS.exec(file.path)?.[2]
    if (folder === undefined)
      throw new CommandError(`${source} is one file: give the .zip or the folder of the whole export.`)
    found++
    const channel = { id: ids.get(folder) ?? folder, name: `#${folder}` }
    const read = (value: JsonObject, leftOut: LeftOut) => messageOf(value, channel.id, names, leftOut)
    yield* channelDays(channel, listedObjectsIn(file, 'message'), read, options)
  }
  if (found === 0) throw new CommandError(`there is no folder of a channel of Slack in ${source}.`)
}

/** Returns the names in the lists of an export by their ids, or what `read` takes of each. */
async function namesIn(
  source: string,
  files: RegExp,
  read: (value: JsonObject) => string | null,
  key = 'id',
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for await (const file of exportFiles(source, files)) {
    if (!files.test(file.path)) continue
    for await (const value of listedObjectsIn(file, 'entry')) {
      const [id, name] = [textOf(value, key), read(value)]
      if (id !== null && name !== null) names.set(id, name)
    }
  }
  return names
}

function nameOfUser(user: JsonObject): string | null {
  const profile = member(user, 'profile')
  return (isObject(profile) ? nameIn(profile) : null) ?? textOf(user, 'real_name') ?? textOf(user, 'name')
}

function nameIn(profile: JsonObject): string | null {
  return textOf(profile, 'real_name') ?? textOf(profile, 'display_name') ?? textOf(profile, 'name')
}

function messageOf(
  message: JsonObject,
  channel: string,
  names: ReadonlyMap<string, string>,
  leftOut: LeftOut,
): ChannelMessage | null {
  const subtype = textOf(message, 'subtype')
  if (textOf(message, 'type') !== 'message' || (subtype !== null && !WRITTEN.includes(subtype))) {
    leftOut.add('notices of channels')
    return null
  }
  leftOut.add('images, files and recordings', listOf(message, 'files').length)
  const text = readable(textOf(message, 'text') ?? attachedText(message), names)
  const stamp = textOf(message, 'ts') ?? ''
  if (isBlank(text)) return null
  const thread = textOf(message, 'thread_ts')
  return {
    id: stamp,
    author: authorOf(message, names),
    text,
    time: timeOf(Number(stamp) * 1000),
    url: `slack:${channel}/${stamp}`,
    ...(thread !== null && { thread }),
  }
}

/** Returns what an app says, which may write attachments alone; `fallback` is the short form of one for places without room. */
function attachedText(message: JsonObject): string {
  return listOf(message, 'attachments')
    .filter(isObject)
    .map((attachment) => {
      const fields = listOf(attachment, 'fields').filter(isObject)
      const named = fields.map((field) => [textOf(field, 'title'), textOf(field, 'value')].filter(Boolean).join(': '))
      const texts = ['pretext', 'title', 'text'].map((key) => textOf(attachment, key))
      return [...texts, ...named].filter(Boolean).join('\n') || textOf(attachment, 'fallback')
    })
    .filter(Boolean)
    .join('\n')
}

function authorOf(message: JsonObject, names: ReadonlyMap<string, string>): string | null {
  const user = textOf(message, 'user')
  const profile = member(message, 'user_profile')
  return (
    (user === null ? null : (names.get(user) ?? null)) ??
    (isObject(profile) ? nameIn(profile) : null) ??
    textOf(message, 'username') ??
    user
  )
}

/** Returns a text as people read it: with names in the place of ids, and links as they are. */
function readable(text: string, names: ReadonlyMap<string, string>): string {
  const shown = text.replace(
    /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g,
    (_, kind: string, target: string, label?: string) => {
      if (kind === '@') return `@${names.get(target) ?? label ?? target}`
      if (kind === '#') return `#${label || target}`
      if (kind === '!') return label || `@${target.split('^')[0]}`
      const address = target.replace(/^mailto:/, '')
      return label && label !== address ? `${label} (${address})` : address
    },
  )
  return decodeHTML(shown)
}
