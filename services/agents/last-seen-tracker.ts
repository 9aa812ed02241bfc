import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import { touchAgents, type AgentLastSeen } from '../../store/tenants/agents.js'
import type { Store } from '../../store/store.js'

/** Updates the `last_seen_at` of agents that send requests: in batches, after the answers, so that no request waits for it. */
export interface LastSeenTracker {
  /** Records that an agent was seen now. Does nothing for a null id, or for an agent that does not exist. */
  touch(caller: { readonly tenantId: string; readonly agentId: string | null }): void
  /** Writes what is still buffered. */
  stop(): Promise<void>
}

interface LastSeenTrackerOptions {
  readonly store: Store
  readonly logger: Logger
  readonly clock: Clock
  /** Milliseconds between two writes. */
  readonly flushMs?: number
}

/** Agents buffered at most while Postgres is unavailable; the oldest are dropped. */
const MAX_BUFFERED = 100_000

export function createLastSeenTracker({
  store,
  logger,
  clock,
  flushMs = 2_000,
}: LastSeenTrackerOptions): LastSeenTracker {
  let buffer = new Map<string, AgentLastSeen>()
  let writing = Promise.resolve()
  let isFailing = false
  const timer = setInterval(() => void flush(), flushMs).unref()

  function note(entry: AgentLastSeen): void {
    const key = JSON.stringify([entry.tenantId, entry.agentId])
    const known = buffer.get(key)
    if (known && known.at >= entry.at) return
    buffer.set(key, entry)
    if (buffer.size > MAX_BUFFERED) buffer.delete(buffer.keys().next().value!)
  }

  function flush(): Promise<void> {
    writing = writing.then(writeBatch)
    return writing
  }

  async function writeBatch(): Promise<void> {
    if (buffer.size === 0) return
    const batch = [...buffer.values()]
    buffer = new Map()
    try {
      await store.asSystem((system) => touchAgents(system, batch))
      isFailing = false
    } catch (error) {
      batch.forEach(note)
      // An outage is logged once: a full disk may be the log's too.
      if (!isFailing)
        logger.warn({ err: error, agents: batch.length }, 'last_seen_at of agents could not be stored yet')
      isFailing = true
    }
  }

  return {
    touch({ tenantId, agentId }) {
      if (agentId !== null) note({ tenantId, agentId, at: new Date(clock.now()) })
    },
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}
