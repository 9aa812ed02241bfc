import { deflateRawSync } from 'node:zlib'

/** Makes conversations as the exports of chat services have them. */

interface Turn {
  readonly role: string
  readonly text: string
  /** Fields of the message that differ from those of a plain one. */
  readonly fields?: object
}

/** Returns a conversation of ChatGPT's export, whose messages follow one another below a root without a message. */
export function chatgptConversation(id: string, turns: readonly Turn[], fields: object = {}) {
  const mapping: Record<string, unknown> = { root: { id: 'root', message: null, parent: null, children: [] } }
  turns.forEach(({ role, text, fields: own }, i) => {
    const message = {
      id: `${id}-m${i}`,
      author: { role, name: null, metadata: {} },
      create_time: 1_714_557_600.25 + i,
      content: { content_type: 'text', parts: [text] },
      recipient: 'all',
      metadata: {},
      ...own,
    }
    mapping[`m${i}`] = { id: `m${i}`, message, parent: i === 0 ? 'root' : `m${i - 1}`, children: [] }
  })
  const current_node = turns.length === 0 ? 'root' : `m${turns.length - 1}`
  return { id, conversation_id: id, title: `About ${id}`, create_time: 1_714_557_600, mapping, current_node, ...fields }
}

/** Returns a conversation of Claude's export, in which `parents` names the message that each one answers. */
export function claudeConversation(
  uuid: string,
  turns: readonly Turn[],
  { parents, ...fields }: { readonly parents?: readonly (number | null)[] } & Record<string, unknown> = {},
) {
  const chat_messages = turns.map(({ role, text, fields: own }, i) => ({
    uuid: `${uuid}-m${i}`,
    sender: role === 'user' ? 'human' : role,
    text,
    content: [{ type: 'text', text }],
    created_at: `2025-03-04T09:00:0${i}.000000Z`,
    ...(parents !== undefined && {
      parent_message_uuid: parents[i] == null ? '00000000-0000-4000-8000-000000000000' : `${uuid}-m${parents[i]}`,
    }),
    ...own,
  }))
  return { uuid, name: `About ${uuid}`, created_at: '2025-03-04T09:00:00Z', chat_messages, ...fields }
}

/** Returns a .zip with files under the names that are given, stored as they are unless they are to be compressed. */
export function zipOf(files: Readonly<Record<string, string>>, { deflate = false } = {}): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const [names, plain] = [Buffer.from(name), Buffer.from(text)]
    const bytes = deflate ? deflateRawSync(plain) : plain
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(deflate ? 8 : 0, 4)
    common.writeUInt32LE(crc32(plain), 10)
    common.writeUInt32LE(bytes.length, 14)
    common.writeUInt32LE(plain.length, 18)
    common.writeUInt16LE(names.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    local.push(Buffer.from('PK\x03\x04', 'latin1'), common, names, bytes)
    central.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, place, names)
    offset += 30 + names.length + bytes.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  const count = Object.keys(files).length
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(Buffer.concat(central).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, ...central, end])
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
