import { countTry, type FailedTry, releaseForOutage } from '../store/outbox/outbox.js'
import type { PendingKind } from '../store/schema.js'
import type { BatchPayload, JobContext } from './jobs.js'

/**
 * Requeues the rest of the batch, due when the outage's wait is over, with a random delay so that it does not come all
 * at once.
 */
export async function release({ store }: JobContext, ticket: string, waitMs: number): Promise<number> {
  return store.asSystem((system) => releaseForOutage(system, [ticket], waitMs))
}

/**
 * Records a failed attempt for each failure, in a transaction of its own: its rows and the settled ones are two sorted
 * sets.
 */
export async function countTries(
  { store, options, logger }: JobContext,
  kind: PendingKind,
  { tenantId, ticket }: BatchPayload,
  failures: readonly FailedTry[],
): Promise<void> {
  if (failures.length === 0) return
  const parked = await store.transact({ tenantId }, (writer) => countTry(writer, kind, ticket, failures, options.tries))
  const reasons = [...new Set(failures.map((failure) => failure.error))].slice(0, 5)
  logger.warn({ tenantId, kind, failed: failures.length, parked, reasons }, 'failed to process rows')
}
