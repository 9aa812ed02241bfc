import { isLive } from '../../domain/life/status-moves.js'
import { nearKeysInSteps } from '../../domain/near-duplicates/near-keys.js'
import { isNearDuplicateInSteps } from '../../domain/near-duplicates/is-near-duplicate.js'
import { TextReading } from '../../domain/near-duplicates/text-reading.js'
import { dot } from '../../domain/ranking/vectors.js'
import { embeddedText, haveSameWords } from '../../domain/text/memory-text.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import type { IndexedMemory, IndexRow } from '../../store/indexing/index-rows.js'
import {
  flagNearDuplicates,
  type MemoryKeys,
  type NearQuery,
  type NearDuplicate,
  type NearText,
  readNearTexts,
  replaceNearKeys,
} from '../../store/memories/near-duplicates.js'
import type { FailedAttempt } from '../../store/outbox/outbox.js'
import type { JobContext } from '../context.js'
import { failedAttempt, isolateFailures } from '../failures.js'
import { memoryText } from '../../services/indexing/index-entries.js'
import { type EmbeddedTexts, embedTexts } from './embed-texts.js'

interface LiveRow extends IndexRow {
  readonly memory: IndexedMemory
}

/**
 * Flags memories that are near duplicates of an older one, and newer ones that are near duplicates of these: texts that
 * share near keys, that have the same words or whose cosine reaches the embedder's threshold, and that differ in nothing that counts. The keys are
 * committed before the search, so of two near texts that are indexed at once at least one finds the other. Returns rows
 * that fail by their own fault.
 */
export async function findNearDuplicates(
  context: JobContext,
  tenantId: string,
  rows: readonly IndexRow[],
): Promise<FailedAttempt[]> {
  const live = rows.filter((row): row is LiveRow => row.memory !== null)
  const results = await isolateFailures(live, async (part) => {
    await flag(context, tenantId, part, await saveKeys(context, tenantId, part))
    return part.map(() => null)
  })
  return results.flatMap((result, i) => ('error' in result ? [failedAttempt(live[i]!, result.error)] : []))
}

async function saveKeys(
  { store, clock }: JobContext,
  tenantId: string,
  rows: readonly LiveRow[],
): Promise<NearQuery[]> {
  const { queries, changed } = await new Slices().run(keysOf(rows, clock.now()))
  if (changed.length > 0) await store.transact({ tenantId }, (writer) => replaceNearKeys(writer, changed))
  return queries
}

/** Returns the near keys of the memories, and those that are not stored. */
function* keysOf(rows: readonly LiveRow[], now: number): Yielding<{ queries: NearQuery[]; changed: MemoryKeys[] }> {
  const queries: NearQuery[] = []
  const changed: MemoryKeys[] = []
  for (const { id, memory } of rows) {
    const keys = isCurrent(memory, now) ? yield* nearKeysInSteps(embeddedText(memory), memory) : []
    queries.push({ memoryId: id, keys, ...memory })
    if (keys.join() !== memory.nearKeys.join()) changed.push({ memoryId: id, version: memory.version, keys })
    yield
  }
  return { queries, changed }
}

/** Returns true for a live memory that has not expired: an expired one becomes outdated within a minute. */
function isCurrent({ status, expiresAt }: IndexedMemory, now: number): boolean {
  return isLive(status) && (expiresAt === null || expiresAt.getTime() > now)
}

async function flag(
  context: JobContext,
  tenantId: string,
  rows: readonly LiveRow[],
  queries: readonly NearQuery[],
): Promise<void> {
  const { store } = context
  const near = await store.read({ tenantId }, (reader) => readNearTexts(reader, queries))
  const found = near.length === 0 ? [] : await findOriginals(context, tenantId, rows, near)
  const checked = rows.filter(({ memory }) => memory.isNearDuplicate).map(({ id }) => id)
  if (found.length + checked.length > 0)
    await store.transact({ tenantId }, (writer) => flagNearDuplicates(writer, checked, found))
}

/** Returns each near duplicate once, with its oldest original. */
async function findOriginals(
  context: JobContext,
  tenantId: string,
  rows: readonly LiveRow[],
  near: readonly NearText[],
): Promise<NearDuplicate[]> {
  const { embedder } = context.indexes.serving()
  const texts = [...rows.map(({ memory }) => memory), ...near].map(memoryText)
  const embedded = await embedTexts(context, embedder, tenantId, texts)
  return new Slices().run(compare(rows, near, embedded, embedder.nearDuplicateCosine))
}

function* compare(
  rows: readonly LiveRow[],
  near: readonly NearText[],
  embedded: EmbeddedTexts,
  nearDuplicateCosine: number,
): Yielding<NearDuplicate[]> {
  const byId = new Map(
    rows.map(({ id, memory }) => {
      const reading = new TextReading(embeddedText(memory), memory.language)
      return [id, { id, ...memory, reading }]
    }),
  )
  const found = new Map<string, NearDuplicate>()
  for (const other of near) {
    const own = byId.get(other.of)!
    const [a, b] = [own, other].map(({ textHash }) => embedded.vectorOf({ hash: textHash }))
    const reading = new TextReading(embeddedText(other), other.language)
    // An embedder may part texts that differ in case alone.
    if ((a && b && dot(a, b) >= nearDuplicateCosine) || haveSameWords(own.reading.text, reading.text)) {
      // Ids show the age: they are UUIDs of version 7.
      const [older, newer] = own.id < other.id ? [own, other] : [other, own]
      const known = found.get(newer.id)
      if ((known === undefined || older.id < known.originalId) && (yield* isNearDuplicateInSteps(own.reading, reading)))
        found.set(newer.id, {
          memoryId: newer.id,
          memoryHash: newer.textHash,
          originalId: older.id,
          originalHash: older.textHash,
        })
    }
    yield
  }
  return [...found.values()]
}
