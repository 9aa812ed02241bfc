import { setTimeout as sleep } from 'node:timers/promises'
import { CORPORA, type Corpus } from '../../domain/corpus.js'
import {
  countInFlightRows,
  countRows,
  type IndexCounts,
  saveCounts,
  type RowCounts,
  scanRows,
  startCount,
} from '../../store/indexing/index-counts.js'
import { readMarks } from '../../store/indexing/known-marks.js'
import type { IndexTarget, JobContext } from '../context.js'

/** Number of consecutive checks that must find the same fault. */
const CHECKS = 3
const MARKS_PAUSE_MS = 300
const COUNTS_PAUSE_MS = 500
/** Interval of the counts, shared by all processes. */
const COUNT_INTERVAL_MS = 5_000
/**
 * Number of tenants that are counted one by one each time, in turn: a surplus of one tenant would hide a shortfall of
 * another.
 */
const TENANTS_PER_COUNT = 10

interface CheckResult {
  readonly fault: string | null
}

/** Checks until one check finds no fault, or `CHECKS` have found one. Returns the result of the last check. */
async function confirmFault<Result extends CheckResult>(
  check: (isLast: boolean) => Promise<Result>,
  pauseMs: number,
  signal: AbortSignal,
): Promise<Result> {
  for (let checks = 1; ; checks++) {
    const result = await check(checks === CHECKS)
    if (result.fault === null || checks === CHECKS) return result
    await sleep(pauseMs, undefined, { signal })
  }
}

/**
 * Returns why the index is not the one that PostgreSQL knows, or null. Throws `UnavailableError` when nobody can tell.
 * Between the answer of PostgreSQL and that of a busy engine the mark may have moved on several times. It moves only in
 * an index that has it: one whose mark was confirmed meanwhile is the one that PostgreSQL knows.
 */
export async function findForeignMark(
  { store }: Pick<JobContext, 'store'>,
  { buildId, index }: Pick<IndexTarget, 'buildId' | 'index'>,
  signal: AbortSignal,
): Promise<string | null> {
  const readKnown = () => store.asSystem((system) => readMarks(system, buildId))
  async function compareMarks(): Promise<CheckResult> {
    const before = await readKnown()
    const marks = await index.marks()
    const after = await readKnown()
    // An index that is not whole has been found out already, or given up.
    const isSettled = after.isWhole && before.marks[0] === after.marks[0]
    return { fault: isSettled ? describeMarks(after.marks, marks) : null }
  }
  return (await confirmFault(compareMarks, MARKS_PAUSE_MS, signal)).fault
}

function describeMarks(known: readonly string[], marks: readonly string[] | null): string | null {
  if (marks === null) return 'the index is missing'
  if (marks.every((mark) => known.includes(mark))) return null
  return marks.includes('')
    ? 'the index was emptied or replaced'
    : 'the index and the database are from different points in time'
}

/**
 * Compares the numbers of documents and rows, of all tenants together and of some one by one. Returns the shortfall, or
 * null.
 */
export async function findShortfall(
  context: JobContext,
  target: IndexTarget,
  signal: AbortSignal,
): Promise<string | null> {
  const { store } = context
  const taken = { everyMs: COUNT_INTERVAL_MS, tenants: TENANTS_PER_COUNT }
  const tenants = await store.asSystem((system) => startCount(system, target.buildId, taken))
  if (tenants === null) return null
  const { counts, fault } = await compareCounts(context, target, undefined, signal)
  await store.asSystem((system) => saveCounts(system, target.buildId, counts))
  if (fault !== null) return fault
  for (const tenantId of tenants) {
    const tenantResult = await compareCounts(context, target, tenantId, signal)
    if (tenantResult.fault !== null) return `${tenantResult.fault} of a tenant`
  }
  return null
}

/**
 * Compares with the counters, and at the last check with the rows themselves: wrong counters would have the index
 * replaced again and again. An index may hold less than PostgreSQL by the rows that were pending at the count, or have
 * settled since. A surplus does no harm: hits are read again in PostgreSQL.
 */
async function compareCounts(
  context: JobContext,
  target: IndexTarget,
  tenantId: string | undefined,
  signal: AbortSignal,
): Promise<CheckResult & { readonly counts: IndexCounts }> {
  async function compare(isLast: boolean) {
    const { counts, inFlight } = await countBoth(context, target, tenantId, isLast ? scanRows : countRows)
    const short = CORPORA.find((corpus) => counts[corpus].documents < counts[corpus].rows - inFlight[corpus])
    if (short === undefined) return { counts, fault: null }
    return { counts, fault: `the index holds ${counts[short].documents} of ${counts[short].rows} ${short}` }
  }
  return confirmFault(compare, COUNTS_PAUSE_MS, signal)
}

/**
 * Counts rows and documents of one tenant, or of all, and then the rows that are in flight: by so many the two may
 * differ.
 */
export async function countBoth(
  { store }: JobContext,
  { index }: Pick<IndexTarget, 'index'>,
  tenantId: string | undefined,
  count: typeof countRows,
): Promise<{ readonly counts: IndexCounts; readonly inFlight: RowCounts }> {
  const rows = await store.asSystem((system) => count(system, tenantId))
  const documentsOf = async (corpus: Corpus) =>
    tenantId === undefined ? (await index.describe(corpus)).documents : index.for(tenantId, corpus).count()
  const [memories, documents] = await Promise.all([documentsOf('memories'), documentsOf('documents')])
  const inFlight = await store.asSystem((system) => countInFlightRows(system, rows.at, tenantId))
  const counts = {
    memories: { documents: memories, rows: rows.memories },
    documents: { documents, rows: rows.documents },
  }
  return { counts, inFlight }
}
