import { createBatchWriter } from '../../../runtime/batch-writer.js'
import type { Logger } from '../../../runtime/logger.js'
import { type RecalledMemory, recordRecalls } from '../../../store/memories/memory-usage.js'
import { type AnsweredRecall, ensureRecallDay, storeRecalls } from '../../../store/recalls.js'
import { addToCounter } from '../../../store/service-counters.js'
import type { Store } from '../../../store/store.js'
import type { AnalysedMemories } from './analysed-memories.js'

/** Stores what was recalled, by whom and why, in batches that no answer waits for. */
export interface RecallLog {
  record(recall: AnsweredRecall): void
  /** Writes the recalls that are still buffered. */
  stop(): Promise<void>
}

export function createRecallLog({ store, logger }: { store: Store; logger: Logger }): RecallLog {
  const days = new Set<string>()
  const writer = createBatchWriter<AnsweredRecall>({
    flushMs: 500,
    // 500 recalls with ten memories each are some MB.
    batchSize: 500,
    maxBuffered: 10_000,
    keyOf: ({ recallId }) => recallId,
    write: (batch) =>
      write(batch).catch((error: unknown) => {
        days.clear()
        throw error
      }),
    onOutage: (error, recalls) => logger.warn({ err: error, recalls }, 'recalls could not be stored yet'),
  })

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

  return { record: writer.add, stop: writer.stop }
}

/** Returns the log, which counts what it records among the texts that this process has analysed as well. */
export function countingRecalls(log: RecallLog, analysed: Pick<AnalysedMemories, 'countRecall'>): RecallLog {
  return {
    ...log,
    record(recall) {
      log.record(recall)
      analysed.countRecall(recall.results.map(({ memory_id: id }) => id))
    },
  }
}

/** Counts the recalls of each memory in each quarter of an hour, which are counted apart. */
function countMemories(recalls: readonly AnsweredRecall[]): RecalledMemory[] {
  const counts = new Map<string, RecalledMemory>()
  for (const { tenantId, at, results } of recalls)
    for (const { memory_id: memoryId } of results) {
      const key = `${memoryId} ${Math.floor(at.getTime() / SLOT_MS)}`
      const known = counts.get(key)
      const last = known && known.at > at ? known.at : at
      counts.set(key, { tenantId, memoryId, count: (known?.count ?? 0) + 1, at: last })
    }
  return [...counts.values()]
}

const SLOT_MS = 900_000
