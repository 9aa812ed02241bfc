import { setTimeout as sleep } from 'node:timers/promises'
import { SPACES, type Space } from '../../domain/space.js'
import {
  countMovingRows,
  countRows,
  type IndexCounts,
  noteCounts,
  type RowCounts,
  scanRows,
  takeCount,
} from '../../store/indexing/index-counts.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/** How often one process counts, of all that there are. */
const EVERY_MS = 5_000
/** Tenants that are counted by themselves each time, in turn: what one has too many would hide what another lacks. */
const TENANTS = 10
/** Counts that must find too little, one after the other. */
const LOOKS = 3
const PAUSE_MS = 500

/** Counts documents against rows, of all tenants together and of some by themselves. Returns what is missing, or null. */
export async function findShortfall(
  context: JobContext,
  target: IndexTarget,
  signal: AbortSignal,
): Promise<string | null> {
  const { store } = context
  const taken = { everyMs: EVERY_MS, tenants: TENANTS }
  const tenants = await store.asSystem((system) => takeCount(system, target.buildId, taken))
  if (tenants === null) return null
  const { counts, fault } = await compare(context, target, undefined, signal)
  await store.asSystem((system) => noteCounts(system, target.buildId, counts))
  if (fault !== null) return fault
  for (const tenantId of tenants) {
    const ofTenant = await compare(context, target, tenantId, signal)
    if (ofTenant.fault !== null) return `${ofTenant.fault} of a tenant`
  }
  return null
}

/**
 * Compares by the kept counters, and at the last look by the rows themselves: counters that were wrong would have the index replaced again
 * and again. An index may hold less than Postgres by what was pending when the rows were counted, or has settled since. What it holds more does
 * no harm: hits are read again in Postgres.
 */
async function compare(
  context: JobContext,
  target: IndexTarget,
  tenantId: string | undefined,
  signal: AbortSignal,
): Promise<{ counts: IndexCounts; fault: string | null }> {
  for (let looks = 1; ; looks++) {
    const { counts, moving } = await countBoth(context, target, tenantId, looks < LOOKS ? countRows : scanRows)
    const short = SPACES.find((space) => counts[space].documents < counts[space].rows - moving[space])
    if (short === undefined) return { counts, fault: null }
    const fault = `the index holds ${counts[short].documents} of ${counts[short].rows} ${short}`
    if (looks === LOOKS) return { counts, fault }
    await sleep(PAUSE_MS, undefined, { signal })
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
  const documentsOf = async (space: Space) =>
    tenantId === undefined ? (await index.describe(space)).documents : index.for(tenantId, space).count()
  const [memories, documents] = await Promise.all([documentsOf('memories'), documentsOf('documents')])
  const moving = await store.asSystem((system) => countMovingRows(system, rows.at, tenantId))
  const counts = {
    memories: { documents: memories, rows: rows.memories },
    documents: { documents, rows: rows.documents },
  }
  return { counts, moving }
}
