import type { Trust } from './trust.js'

export const VISIBILITIES = ['scope_agent', 'scope_team', 'scope_org'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** The caller, as far as visibility is concerned. */
export interface Viewer {
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly trust: Trust
  /** True for a tenant key or the admin credential with no acting agent and no fleet. */
  readonly fleetless: boolean
}

/**
 * The visibility rule as plain data, within one tenant. Every read uses it: the store renders it as SQL, each engine as
 * its filter, and `isVisible` is the rule itself. `fleets: 'all'` is every fleet; an empty list matches only rows of no
 * fleet.
 */
export type Audience = { readonly kind: 'own'; readonly agentId: string } | { readonly kind: 'nobody' } | SharedAudience

/** An audience that sees what others share with it, and all that its agent wrote. */
export interface SharedAudience {
  readonly kind: 'shared'
  readonly agentId: string | null
  readonly fleets: 'all' | readonly string[]
}

export interface VisibleRow {
  /** The author. A row without an agent has none: a key is no author, since it is replaced and what it wrote remains. */
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly visibility: Visibility
}

/**
 * Returns what `viewer` may see. `asked` are fleets that the caller named (by a filter, or 'all' for a row requested by
 * its id): from trust 2 on they open another fleet's `scope_team` rows; below that they are ignored (the request
 * handler rejects them first).
 */
export function audienceOf(viewer: Viewer, asked: 'all' | readonly string[] = []): Audience {
  if (viewer.trust < 1) return viewer.agentId === null ? { kind: 'nobody' } : { kind: 'own', agentId: viewer.agentId }
  const own = viewer.fleetId === null ? [] : [viewer.fleetId]
  const everywhere = viewer.trust >= 2 && (asked === 'all' || viewer.fleetless)
  if (everywhere) return { kind: 'shared', agentId: viewer.agentId, fleets: 'all' }
  const named = viewer.trust >= 2 && asked !== 'all' ? asked : []
  return { kind: 'shared', agentId: viewer.agentId, fleets: [...new Set([...own, ...named])] }
}

export function isVisible(audience: Audience, row: VisibleRow): boolean {
  if (audience.kind === 'nobody') return false
  if (audience.kind === 'own') return row.agentId === audience.agentId
  if (row.agentId !== null && row.agentId === audience.agentId) return true
  switch (row.visibility) {
    case 'scope_org':
      return true
    case 'scope_agent':
      return false
    case 'scope_team':
      return row.fleetId === null || audience.fleets === 'all' || audience.fleets.includes(row.fleetId)
  }
}

/**
 * Returns the fleets outside of an audience's own in which its agent has `scope_team` rows, which it sees as their author.
 * `authored` are all fleets in which the agent has any.
 */
export function fleetsElsewhere(audience: Audience, authored: readonly string[]): string[] {
  if (!mayHaveRowsElsewhere(audience)) return []
  return authored.filter((fleetId) => !audience.fleets.includes(fleetId))
}

/** An audience whose agent may have rows in fleets that it does not read otherwise. */
export interface AuthoringAudience extends SharedAudience {
  readonly agentId: string
  readonly fleets: readonly string[]
}

export function mayHaveRowsElsewhere(audience: Audience): audience is AuthoringAudience {
  return audience.kind === 'shared' && audience.agentId !== null && audience.fleets !== 'all'
}
