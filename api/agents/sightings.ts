import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import { touchAgents, type AgentSighting } from '../../store/tenants/agents.js'
import type { Store } from '../../store/store.js'

/** Updates the `last_seen_at` of agents that send requests: in batches, after the answers, so that no request waits for it. */
export interface Sightings {
  /** Records that an agent was seen now. Does nothing for a null id, or for an agent that does not exist. */
  saw(caller: { readonly tenantId: string; readonly agentId: string | null }): void
  /** Writes what is still buffered. */
  stop(): Promise<void>
}

export interface SightingsOptions {
  readonly store: Store
  readonly logger: Logger
  readonly clock: Clock
  /** Milliseconds between two writes. */
  readonly flushMs?: number
}

/** Agents buffered at most while Postgres is unavailable; the oldest are dropped. */
const MOST_KEPT = 100_000

export function createSightings({ store, logger, clock, flushMs = 2_000 }: SightingsOptions): Sightings {
  let seen = new Map<string, AgentSighting>()
  let writing = Promise.resolve()
  const timer = setInterval(() => void flush(), flushMs).unref()

  function note(sighting: AgentSighting): void {
    const key = JSON.stringify([sighting.tenantId, sighting.agentId])
    const known = seen.get(key)
    if (known && known.at >= sighting.at) return
    seen.set(key, sighting)
    if (seen.size > MOST_KEPT) seen.delete(seen.keys().next().value!)
  }

  function flush(): Promise<void> {
    writing = writing.then(writeBatch)
    return writing
  }

  async function writeBatch(): Promise<void> {
    if (seen.size === 0) return
    const batch = [...seen.values()]
    seen = new Map()
    try {
      await store.asSystem((system) => touchAgents(system, batch))
    } catch (error) {
      batch.forEach(note)
      logger.warn({ err: error, agents: batch.length }, 'last_seen_at of agents could not be stored yet')
    }
  }

  return {
    saw({ tenantId, agentId }) {
      if (agentId !== null) note({ tenantId, agentId, at: new Date(clock.now()) })
    },
    stop() {
      clearInterval(timer)
      return flush()
    },
  }
}
