import { type Audience, fleetsElsewhere, type VisibleRow } from '../../domain/visibility.js'
import { agent, EVERY_FLEET, firstAudienceOf, fleet, ORGANISATION } from '../audiences.js'
import { audienceToken, tokenPrefix, tokensOf } from './keywords.js'

/** The audience of those who read every fleet's rows, as far as a row belongs to a fleet. */
const SOME_FLEET = 'fleets'

/** Reads what an agent wrote for others, whatever their fleet. */
const by = (agentId: string) => `by:${agentId}`

/** Holds what an index stores of a row's audience, and of its terms under it. */
export interface ReaderFields {
  /** Audiences that read the row, as `audienceToken`s. */
  readonly readers: readonly string[]
  /** The terms under the row's first audience (`firstAudienceOf`); none for a row that nobody reads. */
  readonly terms: readonly string[]
  /** The terms of a fleet's row once more, for those who read every fleet. */
  readonly fleetTerms: readonly string[]
}

export function readerFields(tenantId: string, row: VisibleRow, terms: readonly string[]): ReaderFields {
  const { agentId, fleetId, visibility } = row
  const first = firstAudienceOf(row)
  const author = agentId === null || visibility === 'scope_agent' ? null : by(agentId)
  const fleets = visibility === 'scope_team' && fleetId !== null ? SOME_FLEET : null
  const under = (audience: string | null) => (audience === null ? [] : tokensOf(tenantId, audience, terms))
  return {
    readers: [first, author, fleets].flatMap((audience) =>
      audience === null ? [] : audienceToken(tenantId, audience),
    ),
    terms: under(first),
    fleetTerms: under(fleets),
  }
}

/** Says how to search for what an audience sees. */
export interface Readers {
  /** A row is visible when it has one of these `readers`; none for an audience that sees nothing. */
  readonly tokens: readonly string[]
  /** Audiences under which `terms` holds what is visible. */
  readonly audiences: readonly string[]
  /** True where `fleet_terms` is searched as well. */
  readonly searchesFleets: boolean
  /** Rows that the agent wrote in other fleets, which `tokens` leave out; null where it wrote none there. */
  readonly elsewhere: Elsewhere | null
  /** True when rows that have a token of these audiences are visible, and no others: then it needs no filter. */
  readonly isExact: boolean
  /** True when the caller may count all rows under these audiences, so that their rarity may choose its hits. */
  readonly usesRarity: boolean
}

/** Rows that have `author` among their `readers`, and one of `fleets`. */
export interface Elsewhere {
  readonly author: string
  readonly fleets: readonly string[]
}

/**
 * Returns how to search for what an audience sees (`isVisible` in domain/visibility.ts); `authored` are the fleets in which its agent has
 * rows. Several fleets are searched as
 * all of them, with a filter: only those who may read every fleet can name them.
 */
export function readersOf(tenantId: string, audience: Audience, authored: readonly string[] = []): Readers {
  const token = (name: string) => audienceToken(tenantId, name)
  switch (audience.kind) {
    case 'nobody':
      return { tokens: [], audiences: [], searchesFleets: false, elsewhere: null, isExact: true, usesRarity: true }
    case 'own':
      return {
        tokens: [agent(audience.agentId), by(audience.agentId)].map(token),
        audiences: [ORGANISATION, EVERY_FLEET, agent(audience.agentId)],
        searchesFleets: true,
        elsewhere: null,
        isExact: false,
        usesRarity: false,
      }
    case 'shared': {
      const common = [ORGANISATION, EVERY_FLEET, ...(audience.agentId === null ? [] : [agent(audience.agentId)])]
      const fleets = audience.fleets === 'all' ? [SOME_FLEET] : [...new Set(audience.fleets)].map(fleet)
      const searchesFleets = audience.fleets === 'all' || fleets.length > 1
      const others = fleetsElsewhere(audience, authored).map((fleetId) => token(fleet(fleetId)))
      return {
        tokens: [...common, ...fleets].map(token),
        audiences: searchesFleets ? common : [...common, ...fleets],
        searchesFleets,
        elsewhere: others.length === 0 ? null : { author: token(by(audience.agentId!)), fleets: others },
        isExact: audience.fleets === 'all' || !searchesFleets,
        usesRarity: true,
      }
    }
  }
}

/** Says where the rows of one audience have a term: the token in `field` is the term after `prefix`. */
export interface TermForm {
  readonly field: 'terms' | 'fleet_terms'
  readonly prefix: string
}

/** Returns the form of every term in rows of fleets. */
export function fleetForm(tenantId: string): TermForm {
  return { field: 'fleet_terms', prefix: tokenPrefix(tenantId, SOME_FLEET) }
}

/** Returns the forms of every term that these readers search for, those in `terms` first. */
export function formsOf(tenantId: string, { audiences, searchesFleets }: Readers): TermForm[] {
  const inTerms = audiences.map((audience) => ({ field: 'terms', prefix: tokenPrefix(tenantId, audience) }) as const)
  if (!searchesFleets) return inTerms
  return [...inTerms, fleetForm(tenantId)]
}
