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
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/** Interval of the counts, shared by all processes. */
const COUNT_INTERVAL_MS = 5_000
/**
 * Number of tenants that are counted one by one each time, in turn: a surplus of one tenant would hide a shortfall of
 * another.
 */
const TENANTS_PER_COUNT = 10
/** Number of consecutive counts that must find too little. */
const LOOKS = 3
const CHECK_PAUSE_MS = 500

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
 * Compares with the counters, and at the last look with the rows themselves: wrong counters would have the index
 * replaced again and again. An index may hold less than PostgreSQL by the rows that were pending at the count, or have
 * settled since. A surplus does no harm: hits are read again in PostgreSQL.
 */
async function compareCounts(
  context: JobContext,
  target: IndexTarget,
  tenantId: string | undefined,
  signal: AbortSignal,
): Promise<{ counts: IndexCounts; fault: string | null }> {
  for (let looks = 1; ; looks++) {
    const { counts, moving } = await countBoth(context, target, tenantId, looks < LOOKS ? countRows : scanRows)
    const short = CORPORA.find((corpus) => counts[corpus].documents < counts[corpus].rows - moving[corpus])
    if (short === undefined) return { counts, fault: null }
    const fault = `the index holds ${counts[short].documents} of ${counts[short].rows} ${short}`
    if (looks === LOOKS) return { counts, fault }
    await sleep(CHECK_PAUSE_MS, undefined, { signal })
  }
}

/** Counts rows and documents of one tenant, or of all, and then the rows that are `moving`: by so many the two may differ. */
export async function countBoth(
  { store }: JobContext,
  { index }: Pick<IndexTarget, 'index'>,
  tenantId: string | undefined,
  count: typeof countRows,
): Promise<{ readonly counts: IndexCounts; readonly moving: RowCounts }> {
  const rows = await store.asSystem((system) => count(system, tenantId))
  const documentsOf = async (corpus: Corpus) =>
    tenantId === undefined ? (await index.describe(corpus)).documents : index.for(tenantId, corpus).count()
  const [memories, documents] = await Promise.all([documentsOf('memories'), documentsOf('documents')])
  const moving = await store.asSystem((system) => countInFlightRows(system, rows.at, tenantId))
  const counts = {
    memories: { documents: memories, rows: rows.memories },
    documents: { documents, rows: rows.documents },
  }
  return { counts, moving }
}
