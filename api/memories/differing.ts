import { stringify } from 'safe-stable-stringify'
import { storedType } from '../../domain/memory-draft.js'
import type { NewMemory } from '../../store/memories/insert-memories.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import type { MemoryChange } from './read-change.js'

/** What of a change is not so already. Links are left as they are given: see `linksDiffer`. */
export function differing(row: MemoryRow, change: MemoryChange): MemoryChange {
  const differs = ([member, value]: [string, unknown]) => {
    if (member === 'links') return true
    // A type that nobody gave is the service's to fill, until it is given.
    if (member === 'memoryType') return !row.typeGiven || storedType(change.memoryType!) !== row.memoryType
    return !isSame(value, row[member as keyof MemoryRow])
  }
  return Object.fromEntries(Object.entries(change).filter(differs))
}

/** Whether these, in any order and the first of each entity and role, are other links than those that callers gave the row. */
export function linksDiffer(row: MemoryRow, links: NewMemory['links']): boolean {
  const kept = row.entityLinks.filter(({ origin }) => origin === 'caller')
  const types = (list: readonly { entityId: string; role: string | null; entityType: string | null }[]) =>
    Object.fromEntries(
      [...list].reverse().map(({ entityId, role, entityType }) => [`${entityId} ${role ?? ''}`, entityType]),
    )
  return !isSame(types(links), types(kept))
}

/** Numbers as the four bytes that they are kept in; null and undefined are the same nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime()
  if (one instanceof Date || other instanceof Date) return false
  if (typeof one === 'number' && typeof other === 'number') return Math.fround(one) === Math.fround(other)
  return stringify(one ?? null) === stringify(other ?? null)
}
