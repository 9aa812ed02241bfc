import { isBlank } from '../../domain/text/characters.js'
import { type Conversation, ConversationFault, conversationId, pathTo, timeOf } from './conversation.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'
import type { LeftOut } from './source.js'

/**
 * Reads a conversation of ChatGPT's export. Its messages are a tree, `mapping`, in which an edited question or another
 * answer begins a branch; the branch that is shown ends at `current_node` or, where that is missing, at the newest message. Where no message
 * names the one before it, all of them are shown, in the order of their times. Left out are
 * messages of the system and of tools, what the assistant wrote to a tool, what is hidden in the conversation, and everything but text. The
 * format is described in docs/import.md.
 */
export function readChatgpt(value: JsonObject, leftOut: LeftOut): Conversation {
  if (Array.isArray(member(value, 'chat_messages')))
    throw new ConversationFault('looks like Claude’s: give --from claude')
  const id = conversationId(textOf(value, 'conversation_id'), textOf(value, 'id'))
  const mapping = member(value, 'mapping')
  if (!isObject(mapping)) throw new ConversationFault('has no mapping')
  const shown = branchOf(mapping, textOf(value, 'current_node')).flatMap(messageIn)
  leftOut.add('messages of other branches', Object.values(mapping).flatMap(messageIn).length - shown.length)
  const messages = shown.flatMap((message) => messageOf(message, leftOut))
  return { id, title: textOf(value, 'title'), url: `https://chatgpt.com/c/${encodeURIComponent(id)}`, messages }
}

function branchOf(mapping: JsonObject, leaf: string | null): readonly JsonObject[] {
  const nodes = Object.entries(mapping).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
  if (!nodes.some(([, node]) => textOf(node, 'parent') !== null)) return inOrderOfTime(nodes.map(([, node]) => node))
  const byId = new Map(nodes)
  return pathTo(
    leaf ?? newestLeaf(nodes),
    (nodeId) => byId.get(nodeId),
    (node) => textOf(node, 'parent'),
  )
}

/** Sorts nodes by their times; one without a time stays behind the one that it follows. */
function inOrderOfTime(nodes: readonly JsonObject[]): readonly JsonObject[] {
  let last = 0
  const timed = nodes.map((node) => ({ node, time: (last = sentAt(node) || last) }))
  return timed.sort((a, b) => a.time - b.time).map(({ node }) => node)
}

/** Returns the newest of the nodes that no other one answers. */
function newestLeaf(nodes: readonly (readonly [string, JsonObject])[]): string {
  const answered = new Set(nodes.map(([, node]) => textOf(node, 'parent')))
  const leaves = nodes.filter(([nodeId]) => !answered.has(nodeId))
  if (leaves.length === 0) throw new ConversationFault('has messages in a circle, and no last one')
  return leaves.reduce((newest, leaf) => (sentAt(leaf[1]) >= sentAt(newest[1]) ? leaf : newest))[0]
}

function sentAt(node: JsonObject): number {
  return Number(messageIn(node).map((message) => member(message, 'create_time'))[0]) || 0
}

function messageIn(node: unknown): JsonObject[] {
  const message = isObject(node) ? member(node, 'message') : undefined
  return isObject(message) ? [message] : []
}

function messageOf(message: JsonObject, leftOut: LeftOut): Conversation['messages'] {
  const author = member(message, 'author')
  const role = isObject(author) ? textOf(author, 'role') : null
  const content = member(message, 'content')
  const metadata = member(message, 'metadata')
  const leave = (kind: string) => (leftOut.add(kind), [])
  if (role !== 'user' && role !== 'assistant') return leave('messages of the system and of tools')
  if (!isObject(content)) return leave('messages without content')
  if (isObject(metadata) && member(metadata, 'is_visually_hidden_from_conversation') === true)
    return leave('hidden messages')
  if ((textOf(message, 'recipient') ?? 'all') !== 'all') return leave('messages to tools')
  const type = textOf(content, 'content_type') ?? ''
  if (type !== 'text' && type !== 'multimodal_text') return leave(KINDS[type] ?? 'contents that are no text')
  const { text: marked, others } = textIn(content)
  const references = isObject(metadata) ? listOf(metadata, 'content_references').filter(isObject) : []
  const text = role === 'assistant' ? withoutMarks(marked, references) : marked
  const attached = isObject(metadata) ? listOf(metadata, 'attachments').length : 0
  leftOut.add('images, files and recordings', Math.max(others, attached))
  if (isBlank(text)) return []
  const time = member(message, 'create_time')
  return [{ id: textOf(message, 'id') ?? '', role, text, time: typeof time === 'number' ? timeOf(time * 1000) : null }]
}

const KINDS: Readonly<Record<string, string>> = {
  thoughts: 'thoughts',
  reasoning_recap: 'thoughts',
  code: 'pieces of code that was run',
  execution_output: 'pieces of code that was run',
  user_editable_context: 'custom instructions',
}

/** Returns what a person reads of a message: its texts, and the words of what was spoken; and how many parts are anything else. */
function textIn(content: JsonObject): { readonly text: string; readonly others: number } {
  const parts = listOf(content, 'parts').map((part) => {
    if (typeof part === 'string') return part
    return isObject(part) && textOf(part, 'content_type') === 'audio_transcription' ? textOf(part, 'text') : null
  })
  return { text: parts.filter(Boolean).join('\n'), others: parts.filter((part) => part === null).length }
}

/** Matches a mark between private characters, such as `\ue200cite\ue202turn0search1\ue201`, and the white space before it. */
const MARK = /(?<![ \t])([ \t]*)\ue200(\w+)\ue202([^\ue200\ue201]*)\ue201/g
/** Matches what else stands around a text that a mark is about. */
const OTHER_MARKS = /[\ue200-\ue206]/g

/** Returns a text as people read it: with names and links in the place of marks, which `references` may have words for. */
function withoutMarks(text: string, references: readonly JsonObject[]): string {
  if (!text.includes('\ue200') && !text.includes('\ue203')) return text
  const shown = new Map(references.map((reference) => [textOf(reference, 'matched_text'), textOf(reference, 'alt')]))
  const readable = text.replace(MARK, (whole: string, space: string, kind: string, about: string) => {
    const words = shown.get(whole.slice(space.length)) ?? (kind === 'entity' ? nameOf(about) : null)
    return words === null ? '' : space + words
  })
  return readable.replace(OTHER_MARKS, '')
}

/** Returns the name in what a mark of an entity is about: a list of its kind and its name. */
function nameOf(about: string): string | null {
  return /^\["[^"]*", *"([^"]*)"/.exec(about)?.[1] ?? null
}
