import { UnavailableError } from '../../runtime/errors.js'
import { createYielder } from '../../runtime/yielder.js'
import type { IndexChange, IndexOutcome } from '../../search/search-index.js'
import type { FailedAttempt, RowSeq } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { IndexTarget } from '../context.js'
import { describeFailure, isolateFailures, isOutage } from '../isolate.js'
import type { BatchPayload, JobContext } from '../jobs.js'
import type { IndexEntry } from './index-entry.js'
import type { IndexingSource } from './indexing-source.js'
import { coverWithMark } from './marks.js'
import type { TenantCorpus, StepResult } from './step-result.js'

/**
 * Reads those rows of the batch that still belong to this job; a row that cannot be read fails alone. Throws when
 * PostgreSQL is unavailable.
 */
export async function readBatch<Row extends RowSeq>(
  { store }: JobContext,
  source: IndexingSource<Row>,
  kind: PendingKind,
  { tenantId, ticket, ids }: BatchPayload,
): Promise<StepResult<Row>> {
  const results = await isolateFailures(ids, async (part) => {
    const rows = await store.read({ tenantId }, (reader) => source.readRows(reader, kind, ticket, part))
    const byId = new Map(rows.map((row) => [row.id, row]))
    return part.map((id) => byId.get(id))
  })
  return {
    done: results.flatMap((result) => ('value' in result && result.value ? [result.value] : [])),
    failures: results.flatMap((result, i) =>
      'error' in result ? [{ id: ids[i]!, seq: null, error: describeFailure(result.error) }] : [],
    ),
  }
}

/** Builds the index documents; a row whose document cannot be built fails alone. */
export async function buildEntries<Row extends RowSeq>(
  rows: readonly Row[],
  entryOf: (row: Row) => IndexEntry | Promise<IndexEntry>,
): Promise<StepResult<IndexEntry>> {
  const done: IndexEntry[] = []
  const failures: FailedAttempt[] = []
  const yieldIfDue = createYielder()
  for (const row of rows) {
    try {
      done.push(await entryOf(row))
    } catch (error) {
      failures.push({ id: row.id, seq: row.seq, error: describeFailure(error) })
    }
    await yieldIfDue()
  }
  return { done, failures }
}

/**
 * Null when the engine is away, or has another index in the place of this one: nothing may be settled. Otherwise every change is
 * searchable or has failed by itself. Throws when Postgres is away.
 */
export async function writeChanges(
  context: JobContext,
  target: IndexTarget,
  { tenantId, corpus }: TenantCorpus,
  changes: readonly IndexChange[],
): Promise<StepResult<RowSeq> | null> {
  const { outages, logger } = context
  const { buildId, index } = target
  if (changes.length === 0) return { done: [], failures: [] }
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

/** Waits for both before it tells of the failure of either. */
async function awaitBoth<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

function reasonOf(outcome: IndexOutcome): string | null {
  return outcome.outcome === 'written' ? null : outcome.reason
}
