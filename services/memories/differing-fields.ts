import { storedType } from '../../domain/memory-draft.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import { isSameJson } from '../same-json.js'
import type { MemoryChange } from './memory-change.js'

/** Returns the fields of the change whose values differ from the row's. Links are always included: see `linksDiffer`. */
export function differingFields(row: MemoryRow, change: MemoryChange): MemoryChange {
  const differs = ([member, value]: [string, unknown]) => {
    if (member === 'links') return true
    // A type that no caller gave may still be set by enrichment, so giving even the same type is a change.
    if (member === 'memoryType') return !row.typeGiven || storedType(change.memoryType!) !== row.memoryType
    return !isSameValue(value, row[member as keyof MemoryRow])
  }
  return Object.fromEntries(Object.entries(change).filter(differs))
}

/**
 * Returns true if these links differ from those that callers gave the row. The order does not count, and only the first link of each
 * entity and role does.
 */
export function linksDiffer(row: MemoryRow, links: NewMemory['links']): boolean {
  const kept = row.entityLinks.filter(({ origin }) => origin === 'caller')
  const types = (list: readonly { entityId: string; role: string | null; entityType: string | null }[]) =>
    Object.fromEntries(
      [...list].reverse().map(({ entityId, role, entityType }) => [`${entityId} ${role ?? ''}`, entityType]),
    )
  return !isSameValue(types(links), types(kept))
}

/** Compares two values of a field. Numbers are compared as the four-byte floats that they are stored in; null equals undefined. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime()
  if (one instanceof Date || other instanceof Date) return false
  if (typeof one === 'number' && typeof other === 'number') return Math.fround(one) === Math.fround(other)
  return isSameJson(one, other)
}
