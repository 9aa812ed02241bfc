import { KEY_ROTATION } from '../domain/forge/forge-memories.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import type { Actor, Store } from '../../store/store.js'
import { newMemory } from './memories.js'

export { KEY_ROTATION }

/** Stores the memories of one agent in one run, a minute apart, as this actor or as the service, and returns them. */
export async function storeRun(
  store: Store,
  tenantId: string,
  agentId: string,
  runId: string,
  texts: readonly string[],
  given: Partial<NewMemory> = {},
  actor: Actor = { kind: 'service', agentId: null, keyId: null },
): Promise<NewMemory[]> {
  const from = given.createdAt?.getTime() ?? Date.now() - 3600_000
  const memories = texts.map((content, i) =>
    newMemory(content, {
      agentId,
      runId,
      fleetId: 'red',
      visibility: 'scope_team',
      ...given,
      createdAt: new Date(from + i * 60_000),
    }),
  )
  await store.transact({ tenantId, ...actor }, (writer) => insertMemories(writer, memories))
  return memories
}
