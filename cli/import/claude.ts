import { isBlank } from '../../domain/text/characters.js'
import { type Conversation, ConversationFault, conversationId, pathTo, timeOf } from './conversation.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'
import type { LeftOut } from './source.js'

/** The parent of a conversation's first message. */
const ROOT = '00000000-0000-4000-8000-000000000000'

/**
 * Reads a conversation of Claude's export. Its messages are a list, `chat_messages`; where they name their parents, the
 * branch that is shown ends at `current_leaf_message_uuid` or, since exports leave it out, at the newest message. A text
 * that was pasted is an attachment with its text, and a message of its own. Left out are thoughts, calls of tools and their results, and files
 * without their text. The format is described in docs/import.md.
 */
export function readClaude(value: JsonObject, leftOut: LeftOut): Conversation {
  if (isObject(member(value, 'mapping'))) throw new ConversationFault('looks like ChatGPT’s: give --from chatgpt')
  const id = conversationId(textOf(value, 'uuid'))
  if (!Array.isArray(member(value, 'chat_messages'))) throw new ConversationFault('has no chat_messages')
  const all = listOf(value, 'chat_messages').filter(isObject)
  const shown = branchOf(all, textOf(value, 'current_leaf_message_uuid'))
  leftOut.add('messages of other branches', all.length - shown.length)
  const messages = shown.flatMap((message) => messagesOf(message, leftOut))
  return { id, title: textOf(value, 'name'), url: `https://claude.ai/chat/${encodeURIComponent(id)}`, messages }
}

function branchOf(all: readonly JsonObject[], leaf: string | null): readonly JsonObject[] {
  if (!all.some((message) => textOf(message, 'parent_message_uuid') !== null)) return all
  const byId = new Map(all.map((message) => [textOf(message, 'uuid') ?? '', message]))
  const newest = all.reduce((best, message) => (sentAt(message) >= sentAt(best) ? message : best))
  return pathTo(
    leaf ?? textOf(newest, 'uuid') ?? '',
    (messageId) => byId.get(messageId),
    (message) => {
      const parent = textOf(message, 'parent_message_uuid')
      return parent === ROOT ? null : parent
    },
  )
}

function sentAt(message: JsonObject): number {
  return Date.parse(textOf(message, 'created_at') ?? '') || 0
}

/** Returns the texts that were attached to a message, each as a message, and then its own. */
function messagesOf(message: JsonObject, leftOut: LeftOut): Conversation['messages'] {
  const sender = textOf(message, 'sender')
  if (sender !== 'human' && sender !== 'assistant') {
    leftOut.add('messages of the system and of tools')
    return []
  }
  const role = sender === 'human' ? 'user' : 'assistant'
  const common = { id: textOf(message, 'uuid') ?? '', role, time: timeOf(sentAt(message)) } as const
  const text = textIn(message, leftOut)
  return [
    ...attachmentsOf(message, leftOut).map((attached) => ({ ...common, ...attached })),
    ...(isBlank(text) ? [] : [{ ...common, text }]),
  ]
}

function attachmentsOf(
  message: JsonObject,
  leftOut: LeftOut,
): { readonly text: string; readonly attachment: string }[] {
  const attachments = listOf(message, 'attachments').filter(isObject)
  const names = new Set(attachments.map((attachment) => textOf(attachment, 'file_name')))
  const files = [...listOf(message, 'files'), ...listOf(message, 'files_v2')].filter(isObject)
  const others = new Set(files.map((file) => textOf(file, 'file_name')).filter((name) => !names.has(name)))
  leftOut.add('files without their text', others.size)
  return attachments.flatMap((attachment) => {
    const text = textOf(attachment, 'extracted_content') ?? ''
    if (!isBlank(text)) return [{ text, attachment: textOf(attachment, 'file_name') ?? 'pasted text' }]
    leftOut.add('files without their text')
    return []
  })
}

const KINDS: Readonly<Record<string, string>> = {
  thinking: 'thoughts',
  redacted_thinking: 'thoughts',
  tool_use: 'calls of tools',
  tool_result: 'results of tools',
}

/** Returns the text blocks of a message or, in exports from before there were blocks, its text. */
function textIn(message: JsonObject, leftOut: LeftOut): string {
  const blocks = listOf(message, 'content').filter(isObject)
  if (blocks.length === 0) return textOf(message, 'text') ?? ''
  const texts = blocks.map((block) => {
    const type = textOf(block, 'type') ?? ''
    if (type === 'text') return textOf(block, 'text')
    leftOut.add(KINDS[type] ?? 'contents that are no text')
    return null
  })
  return texts.filter(Boolean).join('\n')
}
