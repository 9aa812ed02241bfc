import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { EMPTY_DRAFT } from '../../domain/memory-draft.js'
import { embeddedText } from '../../domain/text/memory-text.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { Store } from '../../store/store.js'

/** Returns a memory as a write stores it; the content must differ from others of the same agent and fleet. */
export function newMemory(content: string, given: Partial<NewMemory> = {}): NewMemory {
  const title = given.title ?? null
  return {
    ...EMPTY_DRAFT,
    id: uuidv7(),
    fleetId: null,
    agentId: 'agent',
    memoryType: 'fact',
    typeGiven: true,
    title,
    content,
    systemMetadata: {},
    createdAt: new Date('2026-05-01T10:00:00Z'),
    contentHash: sha256(content),
    textHash: sha256(embeddedText({ title, content })),
    links: [],
    ...given,
  }
}

/** Stores one memory for each text, with its row in the dirty set, and returns their ids in the same order. */
export async function remember(store: Store, tenantId: string, ...contents: string[]): Promise<string[]> {
  const memories = contents.map((content) => newMemory(content))
  await store.transact({ tenantId }, (writer) => insertMemories(writer, memories))
  return memories.map((memory) => memory.id)
}

/** Changes a text as a request would: with its version, and into the dirty set. */
export async function changeText(store: Store, tenantId: string, id: string, content: string): Promise<void> {
  await store.transact({ tenantId }, async (writer) => {
    await sql`update memories set content = ${content}, text_hash = ${sha256(content)}, version = version + 1
      where id = ${id}`.execute(writer.db)
    await enqueue(writer, 'memory', [id])
  })
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
