import { embeddedText, nameKey } from '../../domain/text/memory-text.js'
import { namesIn } from '../../domain/text/names/names-in.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { upsertEntities } from '../../store/entities.js'
import { replaceFoundLinks } from '../../store/indexing/found-links.js'
import type { IndexRow } from '../../store/indexing/index-rows.js'
import type { FailedAttempt } from '../../store/outbox/outbox.js'
import { removeUnusedEntities } from '../../store/unused.js'
import type { JobContext } from '../context.js'
import { failedAttempt, isolateFailures, type StepResult } from '../failures.js'

interface NamedMemory {
  readonly memoryId: string
  readonly seq: number
  readonly version: number
  readonly names: readonly { readonly name: string; readonly nameKey: string; readonly type: string }[]
}

/**
 * Links each memory to the names in its text, before its document is built, and returns the rows with the entities they have
 * then. What is linked already costs no write. Changes no memory and enqueues nothing: the row that is being indexed is the
 * reason. The names of a deleted memory are linked too, for nobody to see: an erasure of one finds it.
 */
export async function linkNames(
  context: JobContext,
  tenantId: string,
  rows: readonly IndexRow[],
): Promise<StepResult<IndexRow>> {
  const { changed, failures } = await new Slices().run(findNames(rows))
  const results = await isolateFailures(changed, (part) => link(context, tenantId, part))
  const found = new Map<string, readonly string[]>()
  results.forEach((result, i) => {
    const { memoryId: id, seq } = changed[i]!
    if ('error' in result) failures.push(failedAttempt({ id, seq }, result.error))
    else if (result.value) found.set(id, result.value)
  })
  const failed = new Set(failures.map(({ id }) => id))
  return { done: rows.flatMap((row) => (failed.has(row.id) ? [] : [withEntities(row, found.get(row.id))])), failures }
}

/** Finds the memories whose found links are not those of their texts. */
function* findNames(rows: readonly IndexRow[]): Yielding<{ changed: NamedMemory[]; failures: FailedAttempt[] }> {
  const changed: NamedMemory[] = []
  const failures: FailedAttempt[] = []
  for (const row of rows) {
    const { id, seq } = row
    const memory = row.memory ?? row.deleted
    if (memory === undefined) continue
    try {
      const found = namesIn(embeddedText(memory), memory.seenFrom.getTime(), memory.language)
      const names = found.map(({ name, type }) => ({ name, type, nameKey: nameKey(name) }))
      const known = new Set(memory.foundNames)
      if (names.length !== known.size || names.some(({ name }) => !known.has(name)))
        changed.push({ memoryId: id, seq, version: memory.version, names })
    } catch (error) {
      failures.push(failedAttempt(row, error))
    }
    yield
  }
  return { changed, failures }
}

/**
 * Returns the linked entities' ids for each memory, null for one that has changed since it was read. Creates entities
 * in a transaction of its own: a writer that waits for a name to be committed never holds a lock on a memory.
 */
async function link(
  { store }: JobContext,
  tenantId: string,
  memories: readonly NamedMemory[],
): Promise<(readonly string[] | null)[]> {
  const keys = memories.flatMap(({ names }) => names.map((name) => name.nameKey))
  const ids =
    keys.length === 0
      ? new Map<string, string>()
      : await store.transact({ tenantId }, (writer) => upsertEntities(writer, keys))
  const found = memories.map(({ memoryId, version, names }) => ({
    memoryId,
    version,
    entities: names.map(({ nameKey: key, ...name }) => ({ ...name, id: ids.get(key)! })),
  }))
  const linked = await store.transact({ tenantId }, (writer) => replaceFoundLinks(writer, found))
  const passedOver = found.filter(({ memoryId }) => !linked.has(memoryId))
  await forgetEntities(
    store,
    tenantId,
    passedOver.flatMap((memory) => memory.entities.map(({ id }) => id)),
  )
  return found.map(({ memoryId, entities: given }) => (linked.has(memoryId) ? given.map(({ id }) => id) : null))
}

/** Removes entities created for a memory that was changed or erased meanwhile: they may name what it no longer says. */
async function forgetEntities(store: JobContext['store'], tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await store.transact({ tenantId }, (writer) => removeUnusedEntities(writer, [...new Set(ids)]))
}

function withEntities(row: IndexRow, found: readonly string[] | undefined): IndexRow {
  if (row.memory === null || found === undefined) return row
  const entityIds = [...new Set([...row.memory.givenEntityIds, ...found])].sort()
  return { ...row, memory: { ...row.memory, entityIds } }
}
