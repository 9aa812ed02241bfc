import { UnavailableError } from '../../runtime/errors.js'
import type { Corpus } from '../../domain/corpus.js'
import type { IndexChange, IndexOutcome } from '../../search/search-index.js'
import { usableVector } from '../../search/vectors.js'
import { announceMark, confirmMark, recordMade } from '../../store/indexing/index-marks.js'
import type { RowSeq } from '../../store/outbox/outbox.js'
import type { Store } from '../../store/store.js'
import type { IndexTarget, JobContext } from '../context.js'
import { describeFailure, isolateFailures, isOutage, type StepResult } from '../failures.js'
import type { EmbeddedTexts } from './embed-texts.js'
import type { IndexEntry } from '../../services/indexing/index-entries.js'

/** Tenant and corpus of the rows. */
export interface TenantCorpus {
  readonly tenantId: string
  readonly corpus: Corpus
}

/**
 * Writes entries into one index, with the vectors that its embedder gave. Returns null when the engine is unavailable,
 * or has another index in the place of this one: nothing may be settled. Otherwise every entry is searchable or has
 * failed by its own fault. Throws when PostgreSQL is unavailable.
 */
export async function writeEntries(
  context: JobContext,
  target: IndexTarget,
  { tenantId, corpus }: TenantCorpus,
  entries: readonly IndexEntry[],
  texts: EmbeddedTexts,
): Promise<StepResult<RowSeq> | null> {
  const { outages, logger } = context
  const { buildId, index } = target
  if (entries.length === 0) return { done: [], failures: [] }
  const changes = entries.map((entry) => withVector(entry, texts.vectorOf(entry.text)))
  try {
    const writer = index.for(tenantId, corpus)
    const [results, isCovered] = await awaitBoth(
      isolateFailures<IndexChange, IndexOutcome>(changes, (part) => writer.write(part)),
      coverWithMark(context, target),
    )
    if (!isCovered) {
      if (!outages.search.isOn) logger.warn({ build: buildId }, 'the index has another mark: nothing settles in it')
      outages.search.failed()
      return null
    }
    outages.search.recovered()
    const reasons = results.map((result) =>
      'value' in result ? reasonOf(result.value) : describeFailure(result.error),
    )
    return {
      done: changes.filter((_, i) => reasons[i] === null),
      failures: changes.flatMap(({ id, seq }, i) => (reasons[i] === null ? [] : [{ id, seq, error: reasons[i]! }])),
    }
  } catch (error) {
    if (!isOutage(error) || (error instanceof UnavailableError && error.dependency !== 'search')) throw error
    if (!outages.search.isOn)
      logger.warn({ engine: index.engine, failure: describeFailure(error) }, 'search engine is unavailable')
    outages.search.failed()
    return null
  }
}

function withVector({ id, seq, document }: IndexEntry, vector: Float32Array | null): IndexChange {
  return { id, seq, document: document && { ...document, vector: usableVector(vector) } }
}

/** Waits for both before it throws the failure of either. */
async function awaitBoth<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

function reasonOf(outcome: IndexOutcome): string | null {
  return outcome.outcome === 'written' ? null : outcome.reason
}

/**
 * Time for which a mark stays while changes are written. A copy of the index that is put back in its place is recognised
 * once a batch has settled that began later than this after the copy was taken.
 */
const MARK_MS = 250

interface Marking {
  /** Time at which the mark was announced that was confirmed last, by `performance.now()`, or a little earlier. */
  announcedAt: number
  /** The move to the next one, if one is under way. */
  moving: Promise<boolean> | null
}
const markings = new WeakMap<IndexTarget['index'], Marking>()

/**
 * Resolves once PostgreSQL and the index both have a mark that covers a batch that begins now
 * (store/indexing/index-marks.md), to false when the index has another one: then nothing of the batch may settle.
 * Batches of one process share a move.
 */
async function coverWithMark(context: JobContext, target: IndexTarget): Promise<boolean> {
  const begunAt = performance.now()
  const marking = markings.get(target.index) ?? { announcedAt: -Infinity, moving: null }
  markings.set(target.index, marking)
  // A mark that a process left unconfirmed long ago, and that a copy may have by now, is confirmed; then comes another.
  while (begunAt - marking.announcedAt >= MARK_MS) {
    marking.moving ??= moveMark(context, target, marking).finally(() => (marking.moving = null))
    if (!(await marking.moving)) return false
  }
  return true
}

/** Places and confirms the mark that is announced. One that other processes have moved past meanwhile is no fault. */
async function moveMark({ store }: JobContext, { buildId, index }: IndexTarget, marking: Marking): Promise<boolean> {
  for (let refused: string | null = null; ;) {
    const askedAt = performance.now()
    const announced = await store.asSystem((system) => announceMark(system, buildId, { everyMs: MARK_MS }))
    const { known, next, ageMs } = announced ?? { known: [], next: null, ageMs: 0 }
    if (next !== null && next === refused) return false
    if (next !== null && !(await index.remark(known, next))) {
      refused = next
      continue
    }
    if (next !== null) await store.asSystem((system) => confirmMark(system, buildId, next))
    marking.announcedAt = askedAt - (ageMs ?? Infinity)
    return true
  }
}

/** Creates the index of a build that never had one. Safe in many processes at once: its first mark is the build's id. */
export async function makeIndex(store: Store, { buildId, index }: IndexTarget): Promise<void> {
  await index.make(buildId)
  await store.asSystem((system) => recordMade(system, buildId))
}
