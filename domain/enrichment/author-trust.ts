import type { Trust } from '../trust.js'

/** Lists the trust of everyone who wrote what a memory states; null for an author who is no longer known. */
export interface Authors {
  /** Trust of the agents that wrote it, and of the one that owns it now. */
  readonly agents: readonly (Trust | null)[]
  /** Trust of the keys that wrote it; an agent's own key counts with the agent. */
  readonly keys: readonly (Trust | 'of its agent' | null)[]
}

/**
 * Returns the trust that supersession by an inference is decided by: the lowest among its authors. An agent counts with
 * its present trust, a tenant key with the key's, a tenant key that acts for an agent with the lower of both; 1 when an
 * author is no longer known.
 */
export function authorTrust({ agents, keys }: Authors): Trust {
  const known = keys.length === 0 ? [null] : keys.filter((key) => key !== 'of its agent')
  return Math.min(3, ...[...agents, ...known].map((trust) => trust ?? 1)) as Trust
}
