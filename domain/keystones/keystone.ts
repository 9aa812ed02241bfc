import { createHash } from 'node:crypto'
import type { Trust } from '../trust.js'

/** A rule holds for the whole tenant, a fleet of it, or one agent. From the widest to the narrowest. */
export const KEYSTONE_SCOPES = ['tenant', 'fleet', 'agent'] as const
export type KeystoneScope = (typeof KEYSTONE_SCOPES)[number]

/** From the lightest to the heaviest. */
export const KEYSTONE_WEIGHTS = ['low', 'med', 'high'] as const
export type KeystoneWeight = (typeof KEYSTONE_WEIGHTS)[number]

/** For whom a rule holds: `fleetId` is given with the scope fleet alone, `agentId` with agent alone. */
export interface KeystoneReach {
  readonly scope: KeystoneScope
  readonly fleetId: string | null
  readonly agentId: string | null
}

/** What a caller says of a rule. */
export interface KeystoneDraft extends KeystoneReach {
  readonly docId: string
  readonly title: string
  readonly content: string
  readonly weight: KeystoneWeight
}

/** Whose rules are asked for, beside the tenant's own. */
export interface KeystoneAudience {
  readonly fleetId: string | null
  readonly agentId: string | null
}

/** An agent's own rules are its own matter from trust 1 on; every other rule binds others and takes trust 2. */
export function trustToChange({ scope, agentId }: KeystoneReach, actingAgent: string | null): Trust {
  return scope === 'agent' && agentId !== null && agentId === actingAgent ? 1 : 2
}

/** The stricter of what a rule is and what it becomes: neither a wider rule is taken over by narrowing it, nor the reverse. */
export function trustToReplace(before: KeystoneReach | null, after: KeystoneReach, actingAgent: string | null): Trust {
  const required = trustToChange(after, actingAgent)
  if (before === null) return required
  const stored = trustToChange(before, actingAgent)
  return stored > required ? stored : required
}

/** What the contract's schema cannot say: which of the two ids goes with which scope. By the fields of the contract. */
export function reachFaults({ scope, fleetId, agentId }: KeystoneReach): { field: string; message: string }[] {
  const ids = [
    { field: 'fleet_id', of: 'fleet', id: fleetId },
    { field: 'agent_id', of: 'agent', id: agentId },
  ] as const
  return ids.flatMap(({ field, of, id }) => {
    if (scope === of && id === null) return [{ field, message: `The scope ${scope} needs it.` }]
    if (scope !== of && id !== null) return [{ field, message: `Goes with the scope ${of} alone.` }]
    return []
  })
}

/** The rule itself, which the store renders as SQL. */
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
 * What the rules of one scope, and fleet or agent, may weigh together. A list is never cut short and is made whole in memory, so it is here
 * that it is kept from growing until a process dies of it.
 */
export const MOST_REACH_BYTES = 8 * 1_048_576

/** What a rule weighs beside its text, about as much as its other fields as JSON. */
export const RULE_BYTES = 500

export function weightInBytes({ title, content }: Pick<KeystoneDraft, 'title' | 'content'>): number {
  return RULE_BYTES + Buffer.byteLength(title) + Buffer.byteLength(content)
}

export interface Ordered {
  readonly weight: KeystoneWeight
  readonly scope: KeystoneScope
  readonly updatedAt: Date
  /** Of the tenant's set when the rule was last changed: no two rules have the same. */
  readonly revision: number
}

/** Heaviest first, then the narrowest, then what was changed last. */
export function compareKeystones(a: Ordered, b: Ordered): number {
  return (
    KEYSTONE_WEIGHTS.indexOf(b.weight) - KEYSTONE_WEIGHTS.indexOf(a.weight) ||
    KEYSTONE_SCOPES.indexOf(b.scope) - KEYSTONE_SCOPES.indexOf(a.scope) ||
    b.updatedAt.getTime() - a.updatedAt.getTime() ||
    b.revision - a.revision
  )
}

type Replaceable = Omit<KeystoneDraft, 'docId'>

/** In the words of the contract. */
const CHANGED_FIELDS = {
  title: 'title',
  content: 'content',
  scope: 'scope',
  weight: 'weight',
  fleetId: 'fleet_id',
  agentId: 'agent_id',
} as const satisfies { [K in keyof Replaceable]: string }

/** Which fields differ; none: the rule is as it was. */
export function changedFields(before: Replaceable, after: Replaceable): string[] {
  const fields = Object.keys(CHANGED_FIELDS) as (keyof Replaceable)[]
  return fields.filter((field) => before[field] !== after[field]).map((field) => CHANGED_FIELDS[field])
}

/** `sha256:` and the hex digest of the content's UTF-8. */
export function keystoneHash(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}
