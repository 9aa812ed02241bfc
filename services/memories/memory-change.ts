import type { CallerStatus } from '../../domain/life/status-moves.js'
import { type MemoryDraft, storedType } from '../../domain/memory-draft.js'
import { GIVEN_MEMBERS, type Memory, type MemoryMember, nameOf } from '../../domain/memory-fields.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import { isSameJson } from '../same-json.js'

/** The fields that a change names; all others stay. */
export type MemoryChange = Partial<Omit<MemoryDraft, 'status' | 'supersedesId'>> & { readonly status?: CallerStatus }

/** Returns the contract's names of the fields that a change has, without the status. */
export function namesOf(change: object): string[] {
  const members = GIVEN_MEMBERS.filter((member) => member in change && member !== 'status')
  return [...members.map(nameOf), ...('links' in change ? ['entity_links'] : [])]
}

/** Returns the fields whose values differ from the row's. */
export function differingFields(row: Memory, fields: Partial<Memory>): Partial<Memory> {
  const given = Object.entries(fields) as [MemoryMember, unknown][]
  return Object.fromEntries(given.filter(([member, value]) => !isSameValue(value, row[member])))
}

/** Returns the fields of the change whose values differ from the row's. Links are always included: see `linksDiffer`. */
export function differingChange(row: MemoryRow, { memoryType, links, ...fields }: MemoryChange): MemoryChange {
  // A type that no caller gave may still be set by enrichment, so giving even the same type is a change.
  const isOtherType = memoryType !== undefined && (!row.typeGiven || storedType(memoryType) !== row.memoryType)
  return {
    ...differingFields(row, fields),
    ...(isOtherType && { memoryType }),
    ...(links && { links }),
  } as MemoryChange
}

/**
 * Returns true if these links differ from those that callers gave the row. The order does not count, and only the first link of each
 * entity and role does.
 */
export function linksDiffer(row: MemoryRow, links: NewMemory['links']): boolean {
  const types = (list: NewMemory['links']) =>
    Object.fromEntries([...list].reverse().map(({ entityId, role, entityType }) => [`${entityId} ${role}`, entityType]))
  return !isSameValue(types(links), types(callersLinks(row)))
}

/** Returns the links that callers gave the row, as they are written. */
export function callersLinks(row: MemoryRow): NewMemory['links'] {
  const kept = row.entityLinks.filter(({ origin }) => origin === 'caller')
  return kept.map((link) => ({ ...link, role: link.role ?? '' }))
}

/** Compares two values of a field. Numbers are compared as the four-byte floats that they are stored in; null equals undefined. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime()
  if (one instanceof Date || other instanceof Date) return false
  if (typeof one === 'number' && typeof other === 'number') return Math.fround(one) === Math.fround(other)
  return isSameJson(one, other)
}
