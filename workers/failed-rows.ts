import { countTry, type FailedTry, releaseForOutage } from '../store/outbox/outbox.js'
import type { PendingKind } from '../store/schema.js'
import type { BatchPayload, JobContext } from './jobs.js'

/** Gives what is left of the batch back, due when the outage's wait is over, spread so that it does not come at once. */
export async function release({ store }: JobContext, ticket: string, waitMs: number): Promise<number> {
  return store.asSystem((system) => releaseForOutage(system, [ticket], waitMs))
}

/** Counts the failures' tries, in a transaction of its own: its rows and the settled ones are two sorted sets. */
export async function countTries(
  { store, options, logger }: JobContext,
  kind: PendingKind,
  { tenantId, ticket }: BatchPayload,
  failures: readonly FailedTry[],
): Promise<void> {
  if (failures.length === 0) return
  const parked = await store.transact({ tenantId }, (writer) => countTry(writer, kind, ticket, failures, options.tries))
  const reasons = [...new Set(failures.map((failure) => failure.error))].slice(0, 5)
  logger.warn({ tenantId, kind, failed: failures.length, parked, reasons }, 'rows failed by their own fault')
}
