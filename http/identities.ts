import { LRUCache } from 'lru-cache'
import type { Clock } from '../runtime/clock.js'
import { shareLookup, type SharedLookup } from '../runtime/share-lookup.js'
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

/**
 * Caches lookups for a second from their start, so that concurrent callers share one. An unknown key is cached too; an unknown agent
 * or tenant is not, because the next request may register it.
 */
export class CachedIdentities implements Identities {
  readonly #lookups = new LRUCache<string, SharedLookup<unknown>>({ max: MAX_CACHED_LOOKUPS })

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
    const isCached = (found: unknown) => cachesMissing || Boolean(found)
    const options = { clock: this.clock, maxAgeMs: CACHE_MS, isCached }
    return shareLookup(this.#lookups, key, look, options) as Promise<T>
  }
}
