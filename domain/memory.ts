/** Types that a caller may give; `semantic` is stored as `fact`. */
export const CALLER_MEMORY_TYPES = [
  'fact',
  'episode',
  'decision',
  'preference',
  'task',
  'semantic',
  'intention',
  'plan',
  'commitment',
  'action',
  'cancellation',
] as const
/** Types that only the service writes. */
export const SERVICE_MEMORY_TYPES = ['outcome', 'rule', 'insight'] as const
export type MemoryType =
  Exclude<(typeof CALLER_MEMORY_TYPES)[number], 'semantic'> | (typeof SERVICE_MEMORY_TYPES)[number]

export const MEMORY_STATUSES = [
  'active',
  'pending',
  'confirmed',
  'cancelled',
  'outdated',
  'conflicted',
  'archived',
  'deleted',
] as const
export type MemoryStatus = (typeof MEMORY_STATUSES)[number]

/** Events of memories that are counted over time. */
export const MEMORY_EVENTS = ['created', 'superseded', 'deleted', 'recalled'] as const
export type MemoryEvent = (typeof MEMORY_EVENTS)[number]

/** Statuses whose memories block duplicates of their text. */
export const LIVE_STATUSES = ['active', 'pending', 'confirmed'] as const

/** Statuses that recall searches when the caller names none. */
export const RECALL_STATUSES = ['active', 'confirmed', 'pending', 'outdated', 'conflicted'] as const

/**
 * Who linked a memory to an entity: a caller, the service (which found the name in the text), or a language model
 * (which inferred it from the text).
 */
export type LinkOrigin = 'caller' | 'found' | 'inferred'

export interface EntityLink {
  readonly entityId: string
  readonly name: string
  readonly entityType: string | null
  readonly role: string | null
  readonly origin: LinkOrigin
}
