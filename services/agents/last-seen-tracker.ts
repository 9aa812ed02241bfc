import { createBatchWriter } from '../../runtime/batch-writer.js'
import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import { touchAgents, type AgentLastSeen } from '../../store/tenants/agents.js'
import type { Store } from '../../store/store.js'

/** Updates the `last_seen_at` of agents that send requests, after the answers. */
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

export function createLastSeenTracker({
  store,
  logger,
  clock,
  flushMs = 2_000,
}: LastSeenTrackerOptions): LastSeenTracker {
  const writer = createBatchWriter<AgentLastSeen>({
    flushMs,
    batchSize: 10_000,
    maxBuffered: 100_000,
    keyOf: ({ tenantId, agentId }) => JSON.stringify([tenantId, agentId]),
    write: (entries) => store.asSystem((system) => touchAgents(system, entries)),
    onOutage: (error, agents) => logger.warn({ err: error, agents }, 'last_seen_at of agents could not be stored yet'),
  })

  return {
    touch({ tenantId, agentId }) {
      if (agentId !== null) writer.add({ tenantId, agentId, at: new Date(clock.now()) })
    },
    stop: writer.stop,
  }
}
