interface BatchWriterOptions<T> {
  /** Returns the key of an entry; only the latest of those with one key is written. */
  readonly keyOf: (entry: T) => string
  /** Writes all of the entries or none: what it throws for is written again. */
  readonly write: (entries: readonly T[]) => Promise<void>
  /** Called once for each outage, and again when its error is another one: a full disk may be the log's too. */
  readonly onOutage: (error: unknown, buffered: number) => void
  /** Milliseconds between two flushes. */
  readonly flushMs: number
  /** Entries of one write. */
  readonly batchSize: number
  /** Entries buffered at most during an outage; the oldest are dropped. */
  readonly maxBuffered: number
}

/** Collects what is written after the answers, so that no request waits for it and hot rows are not contended for. */
export interface BatchWriter<T> {
  add(entry: T): void
  /** Writes what is still buffered. */
  stop(): Promise<void>
}

/**
 * Creates a writer that flushes at intervals and keeps what it could not write. dataloader and p-queue are no
 * substitutes: they collect and queue, but what fails is lost to the caller's own retry.
 */
export function createBatchWriter<T>(options: BatchWriterOptions<T>): BatchWriter<T> {
  const { keyOf, write, onOutage, flushMs, batchSize, maxBuffered } = options
  let buffer = new Map<string, T>()
  let writing = Promise.resolve()
  let fault: string | null = null
  const timer = setInterval(() => void flush(), flushMs).unref()

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    while (buffer.size > 0) {
      const all = [...buffer]
      const batch = all.slice(0, batchSize)
      buffer = new Map(all.slice(batchSize))
      try {
        await write(batch.map(([, entry]) => entry))
        fault = null
      } catch (error) {
        buffer = new Map([...batch, ...buffer])
        dropOldest()
        const before = fault
        fault = nameOf(error)
        if (fault !== before) onOutage(error, buffer.size)
        return
      }
    }
  }

  function dropOldest(): void {
    for (const key of buffer.keys()) {
      if (buffer.size <= maxBuffered) return
      buffer.delete(key)
    }
  }

  return {
    add(entry) {
      buffer.set(keyOf(entry), entry)
      dropOldest()
    },
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}

/** Returns what two errors of one outage have in common. */
function nameOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: unknown }
  return `${name} ${String(code)}`
}
