import { recordAttempt, type FailedAttempt, requeueWithoutAttempt } from '../store/outbox/outbox.js'
import type { PendingKind } from '../store/schema.js'
import type { BatchPayload, JobContext } from './jobs.js'

/**
 * Requeues the rest of the batch, due when the outage's wait is over, with a random delay so that it does not come all
 * at once.
 */
export async function requeue({ store }: JobContext, ticket: string, waitMs: number): Promise<number> {
  return store.asSystem((system) => requeueWithoutAttempt(system, [ticket], waitMs))
}

/**
 * Records a failed attempt for each failure, in a transaction of its own: its rows and the settled ones are two sorted
 * sets.
 */
export async function recordFailures(
  { store, options, logger }: JobContext,
  kind: PendingKind,
  { tenantId, ticket }: BatchPayload,
  failures: readonly FailedAttempt[],
): Promise<void> {
  if (failures.length === 0) return
  const parked = await store.transact({ tenantId }, (writer) =>
    recordAttempt(writer, kind, ticket, failures, options.attempts),
  )
  const reasons = [...new Set(failures.map((failure) => failure.error))].slice(0, 5)
  logger.warn({ tenantId, kind, failed: failures.length, parked, reasons }, 'failed to process rows')
}
