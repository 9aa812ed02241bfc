import { listTurns } from '../../store/forge/turns.js'
import type { JobContext } from '../context.js'
import { observeJob } from '../job.js'
import { runForge } from './run-forge.js'

/** Runs that are looked at to find one that no other worker takes meanwhile. */
const MOST_LISTED = 100

/**
 * Gives the runs of all tenants their turns, one after another, until none waits or the process stops. The order is PostgreSQL's,
 * looked at before each turn: several workers share it.
 */
export async function takeTurns(context: JobContext): Promise<void> {
  while (!context.stopping.aborted && (await takeTurn(context)));
}

/** Returns false when no run waits that this worker could have. */
async function takeTurn(context: JobContext): Promise<boolean> {
  const { store, clock, stopping } = context
  const due = await store.asSystem((system) => listTurns(system, { at: new Date(clock.now()), limit: MOST_LISTED }))
  for (const run of due) {
    if (stopping.aborted) return false
    if ((await observeJob(context, 'runForge', () => runForge(context, run))) !== 'another') return true
  }
  return false
}
