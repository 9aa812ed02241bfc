import { DAY_MS } from '../../domain/text/time-reference.js'
import { purgeRuns } from '../../store/forge/runs.js'
import { purgeTraces } from '../../store/forge/traces.js'
import type { JobContext } from '../context.js'

const RUNS_KEPT_DAYS = 90
/** Longer than the longest window, in which a run would store them again. */
const TRACES_KEPT_DAYS = 366
const ROWS = 5_000

/** Deletes runs that ended 90 days ago, and outcomes of traces that no window has any more. */
export async function purgeForge({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  const before = (days: number) => new Date(clock.now() - days * DAY_MS)
  for (const [purge, days] of [
    [purgeRuns, RUNS_KEPT_DAYS],
    [purgeTraces, TRACES_KEPT_DAYS],
  ] as const)
    for (let count = ROWS; count === ROWS && !signal.aborted;)
      count = await store.asSystem((system) => purge(system, { before: before(days), limit: ROWS }))
}
