import type { Audience, VisibleRow } from '../../domain/visibility.js'
import { agent, audiencesOfRow, by, EVERY_FLEET, fleet, ORGANISATION } from '../audiences.js'
import { audienceToken, tokenPrefix, tokensOf } from './keywords.js'

/** The audience of those who read every fleet's rows, as far as a row belongs to a fleet. */
const SOME_FLEET = 'fleets'

/** Holds what an index stores of a row's audience, and of its terms under it. */
export interface ReaderFields {
  /** Audiences that read the row, as `audienceToken`s. */
  readonly readers: readonly string[]
  /** The terms under the row's first audience (`audiencesOfRow`); none for a row that nobody reads. */
  readonly terms: readonly string[]
  /** The terms of a fleet's row once more, for those who read every fleet. */
  readonly fleetTerms: readonly string[]
}

export function readerFields(tenantId: string, row: VisibleRow, terms: readonly string[]): ReaderFields {
  const audiences = audiencesOfRow(row)
  const isFleets = row.visibility === 'scope_team' && row.fleetId !== null
  const under = (audience: string | undefined) => (audience === undefined ? [] : tokensOf(tenantId, audience, terms))
  return {
    readers: [...audiences, ...(isFleets ? [SOME_FLEET] : [])].map((audience) => audienceToken(tenantId, audience)),
    terms: under(audiences[0]),
    fleetTerms: under(isFleets ? SOME_FLEET : undefined),
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
  /** True when rows that have a token of these audiences are visible, and no others: then it needs no filter. */
  readonly isExact: boolean
  /** True when the caller may count all rows under these audiences, so that their rarity may choose its hits. */
  readonly usesRarity: boolean
}

/**
 * Returns how to search for what an audience sees (`isVisible` in domain/visibility.ts). Several fleets are searched as
 * all of them, with a filter: only those who may read every fleet can name them.
 */
export function readersOf(tenantId: string, audience: Audience): Readers {
  const token = (name: string) => audienceToken(tenantId, name)
  switch (audience.kind) {
    case 'nobody':
      return { tokens: [], audiences: [], searchesFleets: false, isExact: true, usesRarity: true }
    case 'own':
      return {
        tokens: [agent(audience.agentId), by(audience.agentId)].map(token),
        audiences: [ORGANISATION, EVERY_FLEET, agent(audience.agentId)],
        searchesFleets: true,
        isExact: false,
        usesRarity: false,
      }
    case 'shared': {
      const common = [ORGANISATION, EVERY_FLEET, ...(audience.agentId === null ? [] : [agent(audience.agentId)])]
      const fleets = audience.fleets === 'all' ? [SOME_FLEET] : [...new Set(audience.fleets)].map(fleet)
      const searchesFleets = audience.fleets === 'all' || fleets.length > 1
      return {
        tokens: [...common, ...fleets].map(token),
        audiences: searchesFleets ? common : [...common, ...fleets],
        searchesFleets,
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

/** Returns the forms of every term that these readers search for, those in `terms` first. */
export function formsOf(tenantId: string, { audiences, searchesFleets }: Readers): TermForm[] {
  const inTerms = audiences.map((audience) => ({ field: 'terms', prefix: tokenPrefix(tenantId, audience) }) as const)
  if (!searchesFleets) return inTerms
  return [...inTerms, { field: 'fleet_terms', prefix: tokenPrefix(tenantId, SOME_FLEET) }]
}
