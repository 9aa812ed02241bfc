import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import { type RecalledMemory, recordRecalls } from '../../store/memories/memory-usage.js'
import { type AnsweredRecall, ensureRecallDay, storeRecalls } from '../../store/recalls.js'
import { addToCounter } from '../../store/service-counters.js'
import type { Store } from '../../store/store.js'

/**
 * Stores what was recalled, by whom and why, after the answer was sent. Writes in batches, so that no recall waits for it and recalls do
 * not contend for hot rows.
 */
export interface RecallLog {
  record(recall: AnsweredRecall): void
  /** Writes the recalls that are still buffered. */
  stop(): Promise<void>
}

const FLUSH_MS = 500
/** Rows of one statement: 500 recalls with ten memories each are some MB. */
const BATCH_SIZE = 500
/** Recalls buffered at most while Postgres is unavailable; the oldest are dropped. */
const MAX_BUFFERED = 10_000

export function createRecallLog(options: { store: Store; logger: Logger; clock: Clock }): RecallLog {
  const { store, logger } = options
  let buffer: AnsweredRecall[] = []
  let writing = Promise.resolve()
  const days = new Set<string>()
  let isFailing = false
  const timer = setInterval(() => void flush(), FLUSH_MS).unref()

  function record(recall: AnsweredRecall): void {
    buffer.push(recall)
    if (buffer.length > MAX_BUFFERED) buffer.shift()
  }

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    while (buffer.length > 0) {
      const batch = buffer.splice(0, BATCH_SIZE)
      try {
        await write(batch)
        isFailing = false
      } catch (error) {
        days.clear()
        buffer = [...batch, ...buffer].slice(-MAX_BUFFERED)
        // An outage is logged once: a full disk may be the log's too.
        if (!isFailing) logger.warn({ err: error, recalls: buffer.length }, 'recalls could not be stored yet')
        isFailing = true
        return
      }
    }
  }

  async function write(batch: readonly AnsweredRecall[]): Promise<void> {
    for (const day of new Set(batch.map(({ at }) => at.toISOString().slice(0, 10)))) {
      if (days.has(day)) continue
      await store.asSystem((system) => ensureRecallDay(system, day))
      days.add(day)
    }
    await store.asSystem(async (system) => {
      await storeRecalls(system, batch)
      await recordRecalls(system, countMemories(batch))
      await addToCounter(system, 'recalls', batch.length)
    })
  }

  return {
    record,
    stop: () => {
      clearInterval(timer)
      return flush()
    },
  }
}

function countMemories(recalls: readonly AnsweredRecall[]): RecalledMemory[] {
  const counts = new Map<string, RecalledMemory>()
  for (const { tenantId, at, results } of recalls)
    for (const { memory_id: memoryId } of results) {
      const known = counts.get(memoryId)
      counts.set(memoryId, {
        tenantId,
        memoryId,
        count: (known?.count ?? 0) + 1,
        at: known && known.at > at ? known.at : at,
      })
    }
  return [...counts.values()]
}
