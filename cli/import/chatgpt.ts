import { type Conversation, ConversationFault, conversationId, pathTo, timeOf } from './conversation.js'
import { isObject, type JsonObject, listOf, member, textOf } from './json.js'

/**
 * Reads a conversation of ChatGPT's export. Its messages are a tree, `mapping`, in which an edited question or another
 * answer begins a branch; the branch that is shown ends at `current_node`. Left out are messages of the system and of
 * tools, what the assistant wrote to a tool, what is hidden in the conversation, and everything but text. The format is
 * described in docs/import.md.
 */
export function readChatgpt(value: JsonObject): Conversation {
  if (Array.isArray(member(value, 'chat_messages')))
    throw new ConversationFault('looks like Claude’s: give --from claude')
  const id = conversationId(textOf(value, 'conversation_id'), textOf(value, 'id'))
  const mapping = member(value, 'mapping')
  if (!isObject(mapping)) throw new ConversationFault('has no mapping')
  const leaf = textOf(value, 'current_node')
  if (leaf === null && Object.keys(mapping).length > 0) throw new ConversationFault('has no current_node')
  const nodeOf = (nodeId: string) => {
    const node = member(mapping, nodeId)
    return isObject(node) ? node : undefined
  }
  const nodes = leaf === null ? [] : pathTo(leaf, nodeOf, (node) => textOf(node, 'parent'))
  const messages = nodes.flatMap((node) => {
    const message = member(node, 'message')
    return isObject(message) ? messageOf(message) : []
  })
  return { id, title: textOf(value, 'title'), url: `https://chatgpt.com/c/${encodeURIComponent(id)}`, messages }
}

function messageOf(message: JsonObject): Conversation['messages'] {
  const author = member(message, 'author')
  const role = isObject(author) ? textOf(author, 'role') : null
  const content = member(message, 'content')
  const metadata = member(message, 'metadata')
  if ((role !== 'user' && role !== 'assistant') || !isObject(content)) return []
  if (isObject(metadata) && member(metadata, 'is_visually_hidden_from_conversation') === true) return []
  if ((textOf(message, 'recipient') ?? 'all') !== 'all') return []
  const text = textIn(content)
  if (text.trim() === '') return []
  const time = member(message, 'create_time')
  return [{ id: textOf(message, 'id') ?? '', role, text, time: typeof time === 'number' ? timeOf(time * 1000) : null }]
}

/** Returns what a person reads of a message: its texts, and the words of what was spoken. */
function textIn(content: JsonObject): string {
  const type = textOf(content, 'content_type')
  if (type !== 'text' && type !== 'multimodal_text') return ''
  const parts = listOf(content, 'parts').map((part) => {
    if (typeof part === 'string') return part
    return isObject(part) && textOf(part, 'content_type') === 'audio_transcription' ? (textOf(part, 'text') ?? '') : ''
  })
  return parts.filter(Boolean).join('\n')
}
