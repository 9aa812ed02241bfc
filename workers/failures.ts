import { ModelCallError } from '../models/model-call.js'
import { TimeoutError, UnavailableError } from '../runtime/errors.js'
import { recordAttempt, type FailedAttempt, requeueWithoutAttempt, type RowSeq } from '../store/outbox/outbox.js'
import type { PendingKind } from '../store/schema.js'
import type { JobContext } from './context.js'
import type { BatchPayload } from './job.js'

/** Rows of a batch by what one step made of them. */
export interface StepResult<T> {
  readonly done: readonly T[]
  readonly failures: readonly FailedAttempt[]
}

type IsolatedResult<R> = { readonly value: R } | { readonly error: unknown }

/**
 * Works on all items in one call; when that fails by another cause than an outage, on each half, and so on until the
 * items that fail are alone: one poisoned item costs its neighbours nothing but time. Returns results in the order of
 * the items; `work` must return one result per item. Throws errors of an outage.
 */
export async function isolateFailures<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<readonly R[]>,
): Promise<IsolatedResult<R>[]> {
  if (items.length === 0) return []
  try {
    return (await work(items)).map((value) => ({ value }))
  } catch (error) {
    if (isOutage(error)) throw error
    if (items.length === 1) return [{ error }]
    const middle = items.length >> 1
    return [
      ...(await isolateFailures(items.slice(0, middle), work)),
      ...(await isolateFailures(items.slice(middle), work)),
    ]
  }
}

/**
 * Returns true when a dependency is unavailable or too slow, which counts no attempt. A model that is available and
 * refuses its input is no outage.
 */
export function isOutage(error: unknown): boolean {
  if (refusalOf(error)) return false
  return error instanceof UnavailableError || error instanceof TimeoutError
}

function refusalOf(error: unknown): ModelCallError | null {
  const cause = error instanceof UnavailableError ? error.cause : null
  return cause instanceof ModelCallError && cause.fault === 'input' ? cause : null
}

/**
 * Describes a failure for operators by kinds and codes only, since a message may quote an item's text. An outage names
 * its dependency, what is wrong with it, and the cause: `postgres unreachable (Error ECONNREFUSED)`.
 */
export function describeFailure(error: unknown): string {
  const failure = refusalOf(error) ?? error
  if (!(failure instanceof Error)) return 'unknown failure'
  if (failure instanceof UnavailableError) {
    const { dependency, reason, cause } = failure
    return `${dependency} ${reason}${cause instanceof Error ? ` (${describeFailure(cause)})` : ''}`
  }
  const { code } = failure as { code?: unknown }
  return typeof code === 'string' ? `${failure.name} ${code}` : failure.name
}

/** Returns the failure of a row that was read. */
export function failedAttempt({ id, seq }: RowSeq, error: unknown): FailedAttempt {
  return { id, seq, error: describeFailure(error) }
}

/** Requeues what is left of the batch, due after `waitMs`, without counting an attempt. Returns how many rows. */
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
  const failed = await store.transact({ tenantId }, (writer) =>
    recordAttempt(writer, kind, ticket, failures, options.attempts),
  )
  const reasons = [...new Set(failures.map((failure) => failure.error))].slice(0, 5)
  logger.warn({ tenantId, kind, rows: failures.length, failed, reasons }, 'failed to process rows')
}
