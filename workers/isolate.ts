import { ModelCallError } from '../models/model-call.js'
import { CairnError, UnavailableError } from '../runtime/errors.js'

export type Isolated<R> = { readonly value: R } | { readonly error: unknown }

/**
 * Works on all items in one call; when that fails by another fault than an outage, on each half, and so on until the items
 * that fail are alone: one poisoned item costs its neighbours nothing but time. Answers in the order of the items; `work`
 * must give one result an item. Throws what says that something is away.
 */
export async function isolate<T, R>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<readonly R[]>,
): Promise<Isolated<R>[]> {
  if (items.length === 0) return []
  try {
    return (await work(items)).map((value) => ({ value }))
  } catch (error) {
    if (isOutage(error)) throw error
    if (items.length === 1) return [{ error }]
    const middle = items.length >> 1
    return [...(await isolate(items.slice(0, middle), work)), ...(await isolate(items.slice(middle), work))]
  }
}

/** Away or late: nobody's fault, and no try. A model that is there and refuses what it was asked is neither. */
export function isOutage(error: unknown): boolean {
  if (refusalOf(error)) return false
  return error instanceof UnavailableError || (error instanceof CairnError && error.status === 504)
}

function refusalOf(error: unknown): ModelCallError | null {
  const cause = error instanceof UnavailableError ? error.cause : null
  return cause instanceof ModelCallError && cause.fault === 'input' ? cause : null
}

/** What an operator may read of an item's failure: kinds and codes, since a message may quote the item's text. */
export function describeFailure(error: unknown): string {
  const failure = refusalOf(error) ?? error
  if (!(failure instanceof Error)) return 'unknown failure'
  const { code } = failure as { code?: unknown }
  return typeof code === 'string' ? `${failure.name} ${code}` : failure.name
}

/** The same of what is behind an outage. */
export function describeCause(error: unknown): string {
  return describeFailure(error instanceof UnavailableError ? (error.cause ?? error) : error)
}
