import type { IndexChange } from '../search/search-index.js'
import type { IndexedMemory, IndexRow } from '../store/indexing/index-rows.js'
import type { FailedTry, ReadSeq } from '../store/outbox/outbox.js'
import type { IndexTarget } from './context.js'
import { embedRows } from './embed-rows.js'
import { withVector } from './index-document.js'
import type { JobContext } from './jobs.js'
import { writeChanges, type Parts } from './write-documents.js'

export interface WrittenEverywhere extends Parts<ReadSeq> {
  /** Rows whose document lacks its vector in some index. */
  readonly bare: ReadonlySet<string>
  /** How long to leave the embedder alone by which these are to come. */
  readonly bareWaitMs: number
}

/**
 * Writes changes of these rows into every index that is to hold each change, with vectors as far as there are any. `done` are
 * those that all of them hold; null when an engine is away, and nothing may be settled. The targets are asked for after all
 * that the caller has read and written: an index that they lack is filled from later rows (store/README.md, "A second index").
 */
export async function writeEverywhere(
  context: JobContext,
  tenantId: string,
  rows: readonly IndexRow[],
  changes: readonly IndexChange[],
): Promise<WrittenEverywhere | null> {
  const memories = memoriesOf(rows)
  const bare = new Set<string>()
  const failures = new Map<string, FailedTry>()
  let bareWaitMs = 0
  for (const target of await context.indexes.targets()) {
    const texts = await embedRows(context, target.embedder, tenantId, [...memories.values()])
    const vectorOf = (id: string) => texts.vectors.get(hexOf(memories.get(id))) ?? null
    const written = await writeTo(context, target, tenantId, changes, vectorOf)
    if (written === 'away') return null
    if (written === 'dropped') continue
    for (const id of memories.keys()) if (vectorOf(id) === null) bare.add(id)
    for (const failure of written.failures) failures.set(failure.id, failure)
    bareWaitMs = Math.max(bareWaitMs, context.outages.embedder(target.embedder).waitMs())
  }
  return {
    done: changes.filter(({ id }) => !failures.has(id)),
    failures: [...failures.values()],
    bare,
    bareWaitMs: bareWaitMs || context.options.outage.baseMs,
  }
}

/** Into one index. `dropped` when it failed and is none of the live ones any more. */
export async function writeTo(
  context: JobContext,
  target: IndexTarget,
  tenantId: string,
  changes: readonly IndexChange[],
  vectorOf: (id: string) => Float32Array | null,
): Promise<Parts<ReadSeq> | 'away' | 'dropped'> {
  const full = changes.map((change) => withVector(change, vectorOf(change.id)))
  const written = await writeChanges(context, target, tenantId, full)
  if (written !== null) return written
  const live = await context.indexes.targets()
  return live.some(({ buildId }) => buildId === target.buildId) ? 'away' : 'dropped'
}

/** Live memories by id. */
export function memoriesOf(rows: readonly IndexRow[]): Map<string, IndexedMemory> {
  return new Map(rows.flatMap(({ id, memory }) => (memory === null ? [] : [[id, memory] as const])))
}

/** The key of a memory's text in `EmbeddedTexts`. */
export function hexOf(memory: IndexedMemory | undefined): string {
  return memory?.textHash.toString('hex') ?? ''
}
