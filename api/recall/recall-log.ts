import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import { type RecalledMemory, recordRecalls } from '../../store/memory-usage.js'
import { addToCounter } from '../../store/service-counters.js'
import type { Store } from '../../store/store.js'

/** Notes behind the answer what was recalled: in batches, so that no recall waits and no hot row is fought for. */
export interface RecallLog {
  record(tenantId: string, memoryIds: readonly string[]): void
  /** Writes what is left. */
  stop(): Promise<void>
}

const FLUSH_MS = 500
/** Counts are an aid to ranking: with Postgres away for long the oldest go. */
const MOST_KEPT = 100_000

export function createRecallLog(options: { store: Store; logger: Logger; clock: Clock }): RecallLog {
  const { store, logger, clock } = options
  let recalls = 0
  let memories = new Map<string, RecalledMemory>()
  let writing = Promise.resolve()
  const timer = setInterval(() => void flush(), FLUSH_MS).unref()

  function record(tenantId: string, memoryIds: readonly string[]): void {
    recalls += 1
    const at = new Date(clock.now())
    for (const memoryId of memoryIds) add({ tenantId, memoryId, count: 1, at })
  }

  function add(row: RecalledMemory): void {
    const known = memories.get(row.memoryId)
    const at = known && known.at > row.at ? known.at : row.at
    memories.set(row.memoryId, { ...row, at, count: row.count + (known?.count ?? 0) })
    if (memories.size > MOST_KEPT) memories.delete(memories.keys().next().value!)
  }

  function flush(): Promise<void> {
    writing = writing.then(writeBatch)
    return writing
  }

  async function writeBatch(): Promise<void> {
    if (recalls === 0) return
    const batch = { recalls, memories: [...memories.values()] }
    recalls = 0
    memories = new Map()
    try {
      await store.asSystem(async (system) => {
        await recordRecalls(system, batch.memories)
        await addToCounter(system, 'recalls', batch.recalls)
      })
    } catch (error) {
      recalls += batch.recalls
      batch.memories.forEach(add)
      logger.warn({ err: error, memories: batch.memories.length }, 'recalls not counted yet')
    }
  }

  return {
    record,
    stop: () => {
      clearInterval(timer)
      return flush()
    },
  }
}
