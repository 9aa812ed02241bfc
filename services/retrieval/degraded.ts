import type { Leg } from '../../search/search-index.js'

/** A part of a search that can fail while the search still answers. */
export type DegradedPart = Leg | 'rerank' | 'pending' | 'search'

const ORDER = ['vector', 'keyword', 'entity', 'rerank', 'pending'] as const

/** Returns the contract's `degraded`: the failed parts, or null when none failed. `search` replaces all others. */
export function degradedOf(parts: ReadonlySet<DegradedPart>): string | null {
  if (parts.has('search')) return 'search'
  return ORDER.filter((part) => parts.has(part)).join(',') || null
}
