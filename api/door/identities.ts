import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/clock.js'
import {
  findAgentIdentity,
  findCredential,
  tenantExists,
  type AgentIdentity,
  type Credential,
} from '../../store/tenants/credentials.js'
import type { Store } from '../../store/store.js'

/** Who a credential is. Every lookup throws `UnavailableError` when it cannot know. */
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

/** A revocation, or a change of trust, reaches every process within this time. */
const REMEMBERED_MS = 1_000
const MOST_REMEMBERED = 10_000

interface Lookup {
  /** When it was begun: what it read is no older. */
  readonly since: number
  readonly found: Promise<unknown>
}

/**
 * Remembers lookups for a second from their beginning, so that callers at the same time share one. An unknown key is remembered
 * too; an unknown agent or tenant is not, because it may be registered by the next request.
 */
export class RememberedIdentities implements Identities {
  readonly #lookups = new LRUCache<string, Lookup>({ max: MOST_REMEMBERED })

  constructor(
    readonly source: Identities,
    readonly clock: Clock,
  ) {}

  findCredential(keyId: string): Promise<Credential | null> {
    return this.#remember(`key ${keyId}`, () => this.source.findCredential(keyId), true)
  }

  findAgentIdentity(tenantId: string, agentId: string): Promise<AgentIdentity | null> {
    const key = `agent ${tenantId}\0${agentId}`
    return this.#remember(key, () => this.source.findAgentIdentity(tenantId, agentId), false)
  }

  tenantExists(tenantId: string): Promise<boolean> {
    return this.#remember(`tenant ${tenantId}`, () => this.source.tenantExists(tenantId), false)
  }

  /** After a change made by this process, which then sees it at once. */
  forget(): void {
    this.#lookups.clear()
  }

  #remember<T>(key: string, look: () => Promise<T>, keepsNothing: boolean): Promise<T> {
    const now = this.clock.now()
    const known = this.#lookups.get(key)
    // A clock that was put back must not prolong anything.
    if (known && now >= known.since && now - known.since < REMEMBERED_MS) return known.found as Promise<T>
    const lookup: Lookup = { since: now, found: look() }
    this.#lookups.set(key, lookup)
    const drop = () => {
      if (this.#lookups.peek(key) === lookup) this.#lookups.delete(key)
    }
    lookup.found.then((found) => {
      if (!found && !keepsNothing) drop()
    }, drop)
    return lookup.found as Promise<T>
  }
}
