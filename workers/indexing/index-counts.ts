import { setTimeout as sleep } from 'node:timers/promises'
import { SPACES, type Space } from '../../domain/space.js'
import { countMovingRows, countRows, noteCounts, scanRows, takeCount } from '../../store/indexing/index-counts.js'
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

type Counts = { [K in Space]: { documents: number; rows: number } }

/**
 * Compares by the kept counters, and at the last look by the rows themselves: counters that were wrong would have the index replaced again
 * and again. An index may hold less than Postgres by what was pending when the rows were counted, or has settled since. What it holds more does
 * no harm: hits are read again in Postgres.
 */
async function compare(
  { store }: JobContext,
  { index }: IndexTarget,
  tenantId: string | undefined,
  signal: AbortSignal,
): Promise<{ counts: Counts; fault: string | null }> {
  for (let looks = 1; ; looks++) {
    const rows = await store.asSystem((system) => (looks < LOOKS ? countRows : scanRows)(system, tenantId))
    const held = await Promise.all(
      SPACES.map((space) =>
        tenantId === undefined
          ? index.describe(space).then(({ documents }) => documents)
          : index.for(tenantId, space).count(),
      ),
    )
    const moving = await store.asSystem((system) => countMovingRows(system, rows.at, tenantId))
    const counts = Object.fromEntries(
      SPACES.map((space, i) => [space, { documents: held[i]!, rows: rows[space] }]),
    ) as Counts
    const short = SPACES.find((space) => counts[space].documents < rows[space] - moving[space])
    if (short === undefined) return { counts, fault: null }
    const fault = `the index holds ${counts[short].documents} of ${rows[short]} ${short}`
    if (looks === LOOKS) return { counts, fault }
    await sleep(PAUSE_MS, undefined, { signal })
  }
}
