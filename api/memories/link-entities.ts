import type { LinkDraft } from '../../domain/memory-draft.js'
import { nameKey } from '../../domain/text/memory-text.js'
import { upsertEntities } from '../../store/entities.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import type { Writer } from '../../store/store.js'

/**
 * Links as rows, list by list: entities named for the first time are made. What is linked by its id is spelled as the caller sees it
 * (`spellings`, by id).
 */
export async function linkEntities(
  writer: Writer,
  lists: readonly (readonly LinkDraft[])[],
  spellings: ReadonlyMap<string, string>,
): Promise<NewMemory['links'][]> {
  const ids = await upsertEntities(
    writer,
    lists.flat().flatMap(({ name }) => (name === null ? [] : nameKey(name))),
  )
  return lists.map((links) =>
    links.map(({ entityId, name, role, entityType }) => ({
      entityId: entityId ?? ids.get(nameKey(name!))!,
      name: name ?? spellings.get(entityId!)!,
      role: role ?? '',
      entityType,
    })),
  )
}
