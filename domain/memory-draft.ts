import { createHash } from 'node:crypto'
import type { MemoryStatus, MemoryType } from './memory.js'
import { embeddedText, nameKey, normalisedText } from './text/memory-text.js'
import type { Visibility } from './visibility.js'
import { digitsFault } from './written-digits.js'

/** A write that the contract has validated, before any rule of the domain is applied. */
export interface MemoryDraft {
  readonly content: string
  /** Null when none is given. */
  readonly memoryType: MemoryType | 'semantic' | null
  readonly title: string | null
  readonly weight: number
  readonly sourceUri: string | null
  readonly runId: string | null
  readonly metadata: Record<string, unknown>
  readonly links: readonly LinkDraft[]
  readonly expiresAt: Date | null
  readonly validStart: Date | null
  readonly validEnd: Date | null
  readonly subjectEntityId: string | null
  readonly predicate: string | null
  readonly objectValue: string | null
  readonly status: Extract<MemoryStatus, 'active' | 'pending' | 'confirmed'>
  readonly visibility: Visibility
  readonly confidence: number | null
  readonly scope: Record<string, unknown> | null
  /** The memory that this one supersedes. */
  readonly supersedesId: string | null
}

export interface LinkDraft {
  readonly entityId: string | null
  readonly name: string | null
  readonly entityType: string | null
  readonly role: string | null
}

/** A rule that the draft breaks, and the contract's field that it concerns. */
export interface DraftFault {
  readonly field: string
  readonly message: string
}

/**
 * Returns the faults that the contract's schema cannot express: invalid times, a missing acting agent, numbers that
 * cannot be stored.
 */
export function faultsOf(draft: MemoryDraft, author: { agentId: string | null }, now: Date): DraftFault[] {
  const faults: DraftFault[] = []
  const instants = { expires_at: draft.expiresAt, ts_valid_start: draft.validStart, ts_valid_end: draft.validEnd }
  for (const [field, date] of Object.entries(instants))
    if (date && Number.isNaN(date.getTime())) faults.push({ field, message: 'Is not a valid date.' })
  if (draft.expiresAt && draft.expiresAt <= now) faults.push({ field: 'expires_at', message: 'Must be in the future.' })
  if (draft.validStart && draft.validEnd && draft.validEnd <= draft.validStart)
    faults.push({ field: 'ts_valid_end', message: 'Must be after ts_valid_start.' })
  if (draft.visibility === 'scope_agent' && author.agentId === null)
    faults.push({ field: 'visibility', message: 'scope_agent requires an acting agent.' })
  if (draft.links.some(({ name }) => name !== null && nameKey(name) === ''))
    faults.push({ field: 'entity_links', message: 'A name must contain a visible character.' })
  for (const field of ['metadata', 'scope'] as const) {
    const message = digitsFault(draft[field] ?? {})
    if (message !== null) faults.push({ field, message })
  }
  return faults
}

/** Returns the type that a memory of the given type is stored with. */
export function storedType(given: MemoryDraft['memoryType']): MemoryType {
  return given === 'semantic' || given === null ? 'fact' : given
}

/** Returns the SHA-256 of the normalised text, which duplicates share. */
export function contentHash(content: string): Buffer {
  return createHash('sha256').update(normalisedText(content)).digest()
}

/** Returns the SHA-256 of the text that is embedded: the key of its vectors. */
export function textHash(memory: { readonly title: string | null; readonly content: string }): Buffer {
  return createHash('sha256').update(embeddedText(memory)).digest()
}
