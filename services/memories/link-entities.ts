import { type LinkDraft, subjectLinks, type Triple } from '../../domain/memory-draft.js'
import { nameKey } from '../../domain/text/memory-text.js'
import { upsertEntities } from '../../store/entities.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import type { Writer } from '../../store/store.js'

/**
 * Returns each list of links as rows. Creates the entities that are named for the first time. An entity that is linked by its id gets the
 * spelling that the caller sees (`spellings`, by id).
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

/** Returns the entity that a draft's triple is about: the one that it names, else the one that it links as its subject, of these rows of its links. */
export function subjectIdOf(draft: Triple, rows: NewMemory['links']): string | null {
  return draft.subjectEntityId ?? rows[draft.links.indexOf(subjectLinks(draft)[0]!)]?.entityId ?? null
}
