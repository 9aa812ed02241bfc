import { createHash } from 'node:crypto'
import type { Trust } from '../trust.js'

/** A rule applies to the whole tenant, to one of its fleets, or to one agent. From the widest to the narrowest. */
export const KEYSTONE_SCOPES = ['tenant', 'fleet', 'agent'] as const
export type KeystoneScope = (typeof KEYSTONE_SCOPES)[number]

/** From the lightest to the heaviest. */
export const KEYSTONE_WEIGHTS = ['low', 'med', 'high'] as const
export type KeystoneWeight = (typeof KEYSTONE_WEIGHTS)[number]

/** Whom a rule applies to: `fleetId` is set only for the scope fleet, `agentId` only for agent. */
export interface KeystoneReach {
  readonly scope: KeystoneScope
  readonly fleetId: string | null
  readonly agentId: string | null
}

/** A rule as a caller writes it. */
export interface KeystoneDraft extends KeystoneReach {
  readonly docId: string
  readonly title: string
  readonly content: string
  readonly weight: KeystoneWeight
}

/** The fleet and the agent whose rules are read, beside the tenant's own. */
export interface KeystoneAudience {
  readonly fleetId: string | null
  readonly agentId: string | null
}

/** Returns the trust that a change requires: 1 for an agent's own rules, 2 for every rule that binds others. */
export function trustToChange({ scope, agentId }: KeystoneReach, actingAgent: string | null): Trust {
  return scope === 'agent' && agentId !== null && agentId === actingAgent ? 1 : 2
}

/**
 * Returns the stricter of the trusts that the old and the new rule require, so that nobody takes over a wider rule by
 * narrowing it, nor the reverse.
 */
export function trustToReplace(before: KeystoneReach | null, after: KeystoneReach, actingAgent: string | null): Trust {
  const required = trustToChange(after, actingAgent)
  if (before === null) return required
  const stored = trustToChange(before, actingAgent)
  return stored > required ? stored : required
}

/**
 * Checks what the contract's schema cannot express: which of the two ids goes with which scope. Fields have their names
 * in the contract.
 */
export function reachFaults({ scope, fleetId, agentId }: KeystoneReach): { field: string; message: string }[] {
  const ids = [
    { field: 'fleet_id', of: 'fleet', id: fleetId },
    { field: 'agent_id', of: 'agent', id: agentId },
  ] as const
  return ids.flatMap(({ field, of, id }) => {
    if (scope === of && id === null) return [{ field, message: `Required with the scope ${scope}.` }]
    if (scope !== of && id !== null) return [{ field, message: `Only allowed with the scope ${of}.` }]
    return []
  })
}

/** Defines which rules apply to an audience; the store renders the same rule as SQL. */
export function appliesTo({ scope, fleetId, agentId }: KeystoneReach, audience: KeystoneAudience): boolean {
  switch (scope) {
    case 'tenant':
      return true
    case 'fleet':
      return fleetId === audience.fleetId
    case 'agent':
      return agentId === audience.agentId
  }
}

/**
 * Limits the bytes of all rules of one scope and fleet or agent. A list is never truncated and is built in memory, so
 * this limit keeps it from exhausting a process's memory.
 */
export const MOST_REACH_BYTES = 8 * 1_048_576

/** Bytes of a rule beside its text: about its other fields as JSON. */
export const RULE_BYTES = 500

export function weightInBytes({ title, content }: Pick<KeystoneDraft, 'title' | 'content'>): number {
  return RULE_BYTES + Buffer.byteLength(title) + Buffer.byteLength(content)
}

export interface OrderedKeystone {
  readonly weight: KeystoneWeight
  readonly scope: KeystoneScope
  readonly updatedAt: Date
  /** The revision of the tenant's set when the rule was last changed: no two rules have the same. */
  readonly revision: number
}

/** Sorts the heaviest first, then the narrowest, then the most recently changed. */
export function compareKeystones(a: OrderedKeystone, b: OrderedKeystone): number {
  return (
    KEYSTONE_WEIGHTS.indexOf(b.weight) - KEYSTONE_WEIGHTS.indexOf(a.weight) ||
    KEYSTONE_SCOPES.indexOf(b.scope) - KEYSTONE_SCOPES.indexOf(a.scope) ||
    b.updatedAt.getTime() - a.updatedAt.getTime() ||
    b.revision - a.revision
  )
}

type Replaceable = Omit<KeystoneDraft, 'docId'>

/** Maps each member to its name in the contract. */
const CHANGED_FIELDS = {
  title: 'title',
  content: 'content',
  scope: 'scope',
  weight: 'weight',
  fleetId: 'fleet_id',
  agentId: 'agent_id',
} as const satisfies { [K in keyof Replaceable]: string }

/** Returns the fields that differ, under their names in the contract; empty when the rule is unchanged. */
export function changedFields(before: Replaceable, after: Replaceable): string[] {
  const fields = Object.keys(CHANGED_FIELDS) as (keyof Replaceable)[]
  return fields.filter((field) => before[field] !== after[field]).map((field) => CHANGED_FIELDS[field])
}

/** Returns `sha256:` and the hex digest of the content's UTF-8. */
export function keystoneHash(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}
