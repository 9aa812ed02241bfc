import { v7 as uuidv7 } from 'uuid'
import type { LinkDraft } from '../../domain/memory-draft.js'
import { nameKey } from '../../domain/text/memory-text.js'
import { upsertEntities } from '../../store/entities.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import type { Writer } from '../../store/store.js'

/** Links as rows, list by list: entities named for the first time are made, in their first spelling. */
export async function linkEntities(
  writer: Writer,
  lists: readonly (readonly LinkDraft[])[],
): Promise<NewMemory['links'][]> {
  const named = new Map(
    lists
      .flat()
      .flatMap(({ name }) => name ?? [])
      .reverse()
      .map((name) => [nameKey(name), { id: uuidv7(), name, nameKey: nameKey(name) }]),
  )
  const ids = await upsertEntities(writer, [...named.values()])
  return lists.map((links) =>
    links.map((link) => ({
      entityId: link.entityId ?? ids.get(nameKey(link.name!))!,
      role: link.role ?? '',
      entityType: link.entityType,
    })),
  )
}
