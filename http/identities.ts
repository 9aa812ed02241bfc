import { LRUCache } from 'lru-cache'
import type { Clock } from '../runtime/clock.js'
import {
  findAgentIdentity,
  findCredential,
  tenantExists,
  type AgentIdentity,
  type Credential,
} from '../store/tenants/credentials.js'
import type { Store } from '../store/store.js'

/** Looks up credentials, agents and tenants. Every lookup throws `UnavailableError` when the database cannot answer. */
export interface Identities {
  findCredential(keyId: string): Promise<Credential | null>
  findAgentIdentity(tenantId: string, agentId: string): Promise<AgentIdentity | null>
  tenantExists(tenantId: string): Promise<boolean>
}

export function storedIdentities(store: Store): Identities {
  return {
    findCredential: (keyId) => store.asSystem((system) => findCredential(system, keyId)),
    findAgentIdentity: (tenantId, agentId) => store.asSystem((system) => findAgentIdentity(system, tenantId, agentId)),
    tenantExists: (tenantId) => store.asSystem((system) => tenantExists(system, tenantId)),
  }
}

/** Milliseconds that a lookup is cached: a revocation, or a change of trust, takes effect in every process within this time. */
const CACHE_MS = 1_000
const MAX_CACHED_LOOKUPS = 10_000

interface Lookup {
  /** Unix milliseconds at which the lookup started; its result is no older. */
  readonly since: number
  readonly found: Promise<unknown>
}

/**
 * Caches lookups for a second from their start, so that concurrent callers share one. An unknown key is cached too; an unknown agent
 * or tenant is not, because the next request may register it.
 */
export class CachedIdentities implements Identities {
  readonly #lookups = new LRUCache<string, Lookup>({ max: MAX_CACHED_LOOKUPS })

  constructor(
    readonly source: Identities,
    readonly clock: Clock,
  ) {}

  findCredential(keyId: string): Promise<Credential | null> {
    return this.#lookUp(`key ${keyId}`, () => this.source.findCredential(keyId), true)
  }

  findAgentIdentity(tenantId: string, agentId: string): Promise<AgentIdentity | null> {
    const key = `agent ${tenantId}\0${agentId}`
    return this.#lookUp(key, () => this.source.findAgentIdentity(tenantId, agentId), false)
  }

  tenantExists(tenantId: string): Promise<boolean> {
    return this.#lookUp(`tenant ${tenantId}`, () => this.source.tenantExists(tenantId), false)
  }

  /** Clears the cache, so that this process sees its own change at once. */
  clear(): void {
    this.#lookups.clear()
  }

  #lookUp<T>(key: string, look: () => Promise<T>, cachesMissing: boolean): Promise<T> {
    const now = this.clock.now()
    const known = this.#lookups.get(key)
    // A clock that was set back must not prolong an entry.
    if (known && now >= known.since && now - known.since < CACHE_MS) return known.found as Promise<T>
    const lookup: Lookup = { since: now, found: look() }
    this.#lookups.set(key, lookup)
    const drop = () => {
      if (this.#lookups.peek(key) === lookup) this.#lookups.delete(key)
    }
    lookup.found.then((found) => {
      if (!found && !cachesMissing) drop()
    }, drop)
    return lookup.found as Promise<T>
  }
}
