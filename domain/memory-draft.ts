import { createHash } from 'node:crypto'
import { blankOf, defaultOf, GIVEN_MEMBERS, type GivenMember, givenOf, type Memory, nameOf } from './memory-fields.js'
import type { MemoryStatus, MemoryType } from './memory.js'
import { duplicateForm, embeddedText, nameKey, normalisedText } from './text/memory-text.js'
import { digitsFault } from './written-digits.js'

/** A write that the contract has validated, before any rule of the domain is applied. */
export interface MemoryDraft extends Omit<Pick<Memory, GivenMember>, 'memoryType' | 'status'> {
  /** Null when none is given. */
  readonly memoryType: MemoryType | 'semantic' | null
  readonly status: Extract<MemoryStatus, 'active' | 'pending' | 'confirmed'>
  readonly links: readonly LinkDraft[]
  /** The memory that this one supersedes. */
  readonly supersedesId: string | null
}

/** A draft whose text is still missing, and of which a caller gives nothing else. */
export const EMPTY_DRAFT: MemoryDraft = Object.assign(
  blankOf([...GIVEN_MEMBERS, 'links', 'supersedesId']) as object as MemoryDraft,
  {
    ...Object.fromEntries(GIVEN_MEMBERS.map((member) => [member, defaultOf(member)])),
    content: '',
    links: [],
  },
)

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
  for (const member of GIVEN_TIMES)
    if (Number.isNaN(draft[member]?.getTime())) faults.push({ field: nameOf(member), message: 'Is not a valid date.' })
  if (draft.expiresAt && draft.expiresAt <= now) faults.push({ field: 'expires_at', message: 'Must be in the future.' })
  if (draft.validStart && draft.validEnd && draft.validEnd <= draft.validStart)
    faults.push({ field: 'ts_valid_end', message: 'Must be after ts_valid_start.' })
  if (draft.visibility === 'scope_agent' && author.agentId === null)
    faults.push({ field: 'visibility', message: 'scope_agent requires an acting agent.' })
  if (draft.links.some(({ name }) => name !== null && nameKey(name) === ''))
    faults.push({ field: 'entity_links', message: 'A name must contain a visible character.' })
  if (new Set(subjectLinks(draft).map(({ entityId, name }) => entityId ?? nameKey(name!))).size > 1)
    faults.push({ field: 'entity_links', message: 'Only one entity may have the role subject beside a predicate.' })
  for (const member of GIVEN_OBJECTS) {
    const message = digitsFault(draft[member] ?? {})
    if (message !== null) faults.push({ field: nameOf(member), message })
  }
  return faults
}

const GIVEN_TIMES = givenOf('time')
const GIVEN_OBJECTS = givenOf('object')
const GIVEN_ENTITIES = givenOf('entity')

/** Holds what a draft states of its subject, and the links that may name it. */
export type Triple = Pick<MemoryDraft, 'subjectEntityId' | 'predicate' | 'objectValue' | 'links'>

/**
 * Returns the links that name the subject of a draft's triple, which gives a predicate and an object and no
 * subject_entity_id: a caller knows a name before it knows an entity's id.
 */
export function subjectLinks({ subjectEntityId, predicate, objectValue, links }: Triple): LinkDraft[] {
  if (subjectEntityId !== null || predicate === null || objectValue === null) return []
  return links.filter(({ role }) => role === SUBJECT_ROLE)
}

const SUBJECT_ROLE = 'subject'

/** Returns the ids of the entities that a draft, or a change of a memory, names by id. */
export function entitiesNamedIn(draft: Partial<Omit<MemoryDraft, 'status'>>): string[] {
  const named = [...GIVEN_ENTITIES.map((member) => draft[member]), ...(draft.links ?? []).map((link) => link.entityId)]
  return named.filter((id) => id != null)
}

/** Returns the type that a memory of the given type is stored with. */
export function storedType(given: MemoryDraft['memoryType']): MemoryType {
  return given === 'semantic' || given === null ? 'fact' : given
}

/** Returns the SHA-256 that duplicates share. */
export function contentHash(content: string): Buffer {
  return createHash('sha256').update(duplicateForm(content)).digest()
}

/** Returns the hash that memories are stored with until store/memories/former-hashes.ts renews it. */
export function formerContentHash(content: string): Buffer {
  return createHash('sha256').update(normalisedText(content)).digest()
}

/** Returns the SHA-256 of the text that is embedded: the key of its vectors. */
export function textHash(memory: { readonly title: string | null; readonly content: string }): Buffer {
  return createHash('sha256').update(embeddedText(memory)).digest()
}
