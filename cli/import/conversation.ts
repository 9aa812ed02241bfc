import { isObject, type JsonObject, textOf } from './json.js'
import { LeftOut, memoriesOf, type Found, type SharedFields } from './source.js'

/** A conversation of a chat export, whatever its format. */
export interface Conversation {
  readonly id: string
  readonly title: string | null
  readonly url: string
  /** The messages of the branch that is shown, oldest first; those without a text are left out. */
  readonly messages: readonly Message[]
}

interface Message {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly time: Date | null
  /** The name of the file whose text this is, where it was attached to the message. */
  readonly attachment?: string
}

/** Says why a conversation cannot be read. */
export class ConversationFault extends Error {}

/** Reads a conversation from an element of an export, and counts what it leaves out. Throws ConversationFault. */
export type ReadConversation = (value: JsonObject, leftOut: LeftOut) => Conversation

/**
 * Returns the memories of a conversation: one for each message of the branch that is shown. All of them have the
 * conversation as their run, so that each is evidence for its neighbours, and hold since the message was sent.
 */
export function conversationFound(
  value: unknown,
  number: number,
  { format, read }: { readonly format: string; readonly read: ReadConversation },
  shared: SharedFields,
): Found {
  const place = `conversation ${number}${isObject(value) ? named(value) : ''}`
  const leftOut = new LeftOut()
  try {
    if (!isObject(value)) throw new ConversationFault('is not a JSON object')
    const { id, title, url, messages } = read(value, leftOut)
    const memories = messages.flatMap(({ id: message_id, role, text, time, attachment }) =>
      memoriesOf(
        {
          content: text,
          title,
          tags: [],
          memory_type: 'episode',
          run_id: id,
          source_uri: url,
          ...(time !== null && { ts_valid_start: time.toISOString() }),
          metadata: {
            imported_from: format,
            role,
            conversation_id: id,
            message_id,
            ...(attachment !== undefined && { attachment }),
          },
        },
        shared,
      ),
    )
    return { place, memories, leftOut }
  } catch (error) {
    if (error instanceof ConversationFault) return { place, memories: [], fault: `${error.message}.` }
    throw error
  }
}

function named(value: JsonObject): string {
  const name = textOf(value, 'title') ?? textOf(value, 'name')
  return name ? ` (${[...name].slice(0, 80).join('')})` : ''
}

/** Returns the id of a conversation, which becomes a `run_id`. Throws ConversationFault. */
export function conversationId(...candidates: readonly (string | null)[]): string {
  const id = candidates.find((candidate) => candidate !== null)
  if (id == null) throw new ConversationFault('has no id')
  if (/\p{Surrogate}/u.test(id)) throw new ConversationFault('has an id with half of a surrogate pair')
  if (id.length > 200) throw new ConversationFault('has an id of more than 200 characters')
  return id
}

/**
 * Returns the nodes from a root to a leaf, root first. `parentOf` returns the id of a node's parent, null for a root.
 * Throws ConversationFault for a parent that is not there, and for one that is a descendant of its child.
 */
export function pathTo<Node>(
  leaf: string,
  nodeOf: (id: string) => Node | undefined,
  parentOf: (node: Node) => string | null,
): Node[] {
  const path: Node[] = []
  const seen = new Set<string>()
  for (let id: string | null = leaf; id !== null;) {
    if (seen.has(id)) throw new ConversationFault(`has messages in a circle, at ${shown(id)}`)
    seen.add(id)
    const node = nodeOf(id)
    if (node === undefined) throw new ConversationFault(`lacks the message ${shown(id)}, which another one answers`)
    path.push(node)
    id = parentOf(node)
  }
  return path.reverse()
}

function shown(id: string): string {
  return [...id].slice(0, 80).join('')
}

/** Returns a time that PostgreSQL and the contract take, or null. */
export function timeOf(milliseconds: number): Date | null {
  const time = new Date(milliseconds)
  return time.getTime() > 0 && time.getTime() < Date.UTC(9999, 0) ? time : null
}
