import type { Document } from '../documents/document.js'
import { audienceOf, type Viewer } from '../visibility.js'
import { SKILLS_COLLECTION } from './skill.js'

/**
 * The fleets whose fleet-bound skills a caller sees. Skills of the Forge with a fleet are made from memories of that fleet
 * alone, and are bound to it; every other document is seen in the whole tenant.
 */
export type BoundFleets = 'all' | readonly string[]

/** Returns the fleets whose skills a caller sees; those that it asked for open from trust 2 on. */
export function boundFleetsOf(viewer: Viewer, asked: 'all' | string | undefined): BoundFleets {
  const audience = audienceOf(viewer, asked === undefined || asked === 'all' ? asked : [asked])
  return audience.kind === 'shared' ? audience.fleets : []
}

/** Returns the fleet that a document is bound to; null for one that the whole tenant sees. */
export function boundFleetOf({
  collection,
  docId,
  fleetId,
  data,
}: Pick<Document, 'collection' | 'docId' | 'fleetId' | 'data'>): string | null {
  const isForges = collection === SKILLS_COLLECTION && (docId.startsWith('forge/') || data.source === 'forge')
  return isForges ? fleetId : null
}

export function isInBounds(bounds: BoundFleets, fleetId: string | null): boolean {
  return fleetId === null || bounds === 'all' || bounds.includes(fleetId)
}

/** Returns the fleet under which an index has the skills that are bound to one; no caller's fleet has white space. */
export function indexedBoundFleet(fleetId: string): string {
  return `forge ${fleetId}`
}
