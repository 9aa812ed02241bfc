import type { FailedAttempt, RowSeq } from '../../store/outbox/outbox.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'
import { type EmbeddedTexts, embedTexts, type HashedText, hexOf } from './embed-texts.js'
import { type IndexEntry, withVector } from './index-entry.js'
import { writeChanges } from './batch-steps.js'
import type { TenantCorpus, StepResult } from './step-result.js'

export interface WriteResult extends StepResult<RowSeq> {
  /** Rows whose document lacks its vector in some index. */
  readonly withoutVector: ReadonlySet<string>
  /** Time to wait for the embedder before their vectors are added. */
  readonly vectorWaitMs: number
}

/**
 * Writes these entries into every index that takes changes, with vectors as far as they exist. `done` are those that
 * all indices hold; returns null when an engine is unavailable, or no index exists yet, and nothing may be settled. The
 * targets are read after everything that the caller has read and written: an index that is not among them is filled
 * from later rows (store/indexing/index-builds.md).
 */
export async function writeEverywhere(
  context: JobContext,
  scope: TenantCorpus,
  entries: readonly IndexEntry[],
): Promise<WriteResult | null> {
  const live = entries.filter(({ text }) => text !== null)
  const withoutVector = new Set<string>()
  const failures = new Map<string, FailedAttempt>()
  let vectorWaitMs = 0
  const targets = await context.indexes.targets()
  if (targets.length === 0) return null
  for (const target of targets) {
    const texts = await embedTexts(context, target.embedder, scope.tenantId, textsOf(live))
    const written = await writeTo(context, target, scope, entries, texts)
    if (written === 'away') return null
    if (written === 'dropped') continue
    for (const entry of live) if (vectorIn(texts, entry) === null) withoutVector.add(entry.id)
    for (const failure of written.failures) failures.set(failure.id, failure)
    vectorWaitMs = Math.max(vectorWaitMs, context.outages.embedder(target.embedder).waitMs())
  }
  return {
    done: entries.filter(({ id }) => !failures.has(id)),
    failures: [...failures.values()],
    withoutVector,
    vectorWaitMs: vectorWaitMs || context.options.outage.baseMs,
  }
}

/** Writes into one index. Returns `dropped` when it failed and is no longer live. */
export async function writeTo(
  context: JobContext,
  target: IndexTarget,
  scope: TenantCorpus,
  entries: readonly IndexEntry[],
  texts: EmbeddedTexts,
): Promise<StepResult<RowSeq> | 'away' | 'dropped'> {
  const full = entries.map((entry) => withVector(entry, vectorIn(texts, entry)))
  const written = await writeChanges(context, target, scope, full)
  if (written !== null) return written
  const live = await context.indexes.targets()
  return live.some(({ buildId }) => buildId === target.buildId) ? 'away' : 'dropped'
}

/** Returns the texts of the entries that have one. */
export function textsOf(entries: readonly IndexEntry[]): HashedText[] {
  return entries.flatMap(({ text }) => text ?? [])
}

export function vectorIn({ vectors }: EmbeddedTexts, { text }: IndexEntry): Float32Array | null {
  return vectors.get(hexOf(text)) ?? null
}
