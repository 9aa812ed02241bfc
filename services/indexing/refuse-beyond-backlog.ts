import type { Corpus } from '../../domain/corpus.js'
import { BacklogError } from '../../runtime/errors.js'
import { isIndexingBehind } from '../../store/outbox/outbox-upkeep.js'
import type { OperatingContext } from '../operating-context.js'

/**
 * Number of a tenant's changes that may wait to be indexed while it writes in bulk. Requests that were let in together
 * may go beyond it, each by its items.
 */
export const MAX_BACKLOG = 15_000

/** Some thousand rows are indexed meanwhile, so that several requests find room again. */
const RETRY_AFTER_S = 3

/**
 * Refuses a bulk write of a tenant whose changes wait in large numbers, before anything is written. Single writes
 * never ask; nor does another tenant's backlog count. It looks before the write's transaction, so that no connection is
 * held: a repeated request that was answered before is refused too, and gets its stored answer once there is room.
 */
export async function refuseBeyondBacklog(
  { store, metrics }: OperatingContext,
  tenantId: string,
  corpus: Corpus,
): Promise<void> {
  const isBehind = await store.asSystem((system) => isIndexingBehind(system, { tenantId, corpus, limit: MAX_BACKLOG }))
  if (!isBehind) return
  metrics.limited('backlog')
  throw new BacklogError(`${MAX_BACKLOG} or more ${corpus} of this tenant wait to be indexed: write the rest later.`, {
    retryAfterS: RETRY_AFTER_S,
  })
}
