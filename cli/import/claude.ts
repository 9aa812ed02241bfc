import { type Conversation, ConversationFault, conversationId, pathTo, timeOf } from './conversation.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'

/** The parent of a conversation's first message. */
const ROOT = '00000000-0000-4000-8000-000000000000'

/**
 * Reads a conversation of Claude's export. Its messages are a list, `chat_messages`; where they name their parents, the
 * branch that is shown ends at `current_leaf_message_uuid` or, since exports leave it out, at the newest message. Left out are
 * thoughts, calls of tools and their results, and attachments. The format is described in docs/import.md.
 */
export function readClaude(value: JsonObject): Conversation {
  if (isObject(member(value, 'mapping'))) throw new ConversationFault('looks like ChatGPT’s: give --from chatgpt')
  const id = conversationId(textOf(value, 'uuid'))
  if (!Array.isArray(member(value, 'chat_messages'))) throw new ConversationFault('has no chat_messages')
  const all = listOf(value, 'chat_messages').filter(isObject)
  const messages = branchOf(all, textOf(value, 'current_leaf_message_uuid')).flatMap(messageOf)
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

function messageOf(message: JsonObject): Conversation['messages'] {
  const sender = textOf(message, 'sender')
  const text = textIn(message)
  if ((sender !== 'human' && sender !== 'assistant') || text.trim() === '') return []
  const role = sender === 'human' ? 'user' : 'assistant'
  return [{ id: textOf(message, 'uuid') ?? '', role, text, time: timeOf(sentAt(message)) }]
}

/** Returns the text blocks of a message or, in exports from before there were blocks, its text. */
function textIn(message: JsonObject): string {
  const blocks = listOf(message, 'content').filter(isObject)
  if (blocks.length === 0) return textOf(message, 'text') ?? ''
  const texts = blocks.filter((block) => textOf(block, 'type') === 'text').map((block) => textOf(block, 'text') ?? '')
  return texts.filter(Boolean).join('\n')
}
