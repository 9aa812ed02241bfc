import type { Clock } from '../../runtime/clock.js'
import type { Logger } from '../../runtime/logger.js'
import { touchAgents, type AgentSighting } from '../../store/tenants/agents.js'
import type { Store } from '../../store/store.js'

/** Notes which agents call, for their last_seen_at: in batches behind the answers, so that no request waits for it. */
export interface Sightings {
  /** Null for nobody; an agent that there is not is passed over. */
  saw(caller: { readonly tenantId: string; readonly agentId: string | null }): void
  /** Writes what is left. */
  stop(): Promise<void>
}

export interface SightingsOptions {
  readonly store: Store
  readonly logger: Logger
  readonly clock: Clock
  /** How far last_seen_at may be behind. */
  readonly flushMs?: number
}

/** With Postgres away for long the oldest go. */
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
      logger.warn({ err: error, agents: batch.length }, 'agents not marked as seen yet')
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
