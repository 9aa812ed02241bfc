import type { MemoryStatus, MemoryType } from './memory.js'
import type { Visibility } from './visibility.js'

/** Kinds of values, and what each is in the program. */
interface ValueTypes {
  /** A UUID. */
  id: string
  /** The UUID of an entity, which the tenant must have. */
  entity: string
  text: string
  /** A text of one line: white space at its ends is no part of it. */
  line: string
  /** The code of a language, which callers may give as a tag of BCP 47. */
  language: string
  type: MemoryType
  status: MemoryStatus
  visibility: Visibility
  /** Stored in four bytes. */
  number: number
  integer: number
  flag: boolean
  time: Date
  /** A JSON object. */
  object: Record<string, unknown>
}
export type ValueKind = keyof ValueTypes

/** Groups of inferred fields, whose values mean nothing without one another. */
type InferredGroup = 'title' | 'type' | 'validity' | 'triple'

/** Describes a field of a memory. */
interface MemoryField {
  /** Column of the table `memories`. */
  readonly column: string
  /** Name in the contract, where it is not the column's; null when no answer shows it. */
  readonly name?: string | null
  readonly value: ValueKind
  /** True when the field may be empty. */
  readonly nullable?: true
  /** True when callers give it with a write and change it. One that is nullable they may also clear. */
  readonly given?: true
  /** The value that is stored when a caller gives none; null where absent. */
  readonly default?: unknown
  /** Set when enrichment may fill what callers left empty: what it is filled together with. */
  readonly inferred?: InferredGroup
  /** True when the search index holds it, to filter by. */
  readonly indexed?: true
  /**
   * Set when personal data is looked for in it, since callers write text in it. A `name` cannot be masked: another name
   * would be another thing.
   */
  readonly screened?: 'value' | 'name'
}

/**
 * The fields of a memory, by their member in the program. The draft of a write, the readers and the presenter of
 * `api/memories`, the statements of `store/memories`, screening, enrichment and erasure follow from this table. A column
 * or a field of the contract that it lacks does not compile, nor does a row that they lack (`store/schema.ts`,
 * `api/memories`).
 */
export const MEMORY_FIELDS = {
  id: { column: 'id', value: 'id' },
  fleetId: { column: 'fleet_id', value: 'text', nullable: true, indexed: true },
  agentId: { column: 'agent_id', value: 'text', nullable: true, indexed: true },
  content: { column: 'content', value: 'text', given: true, screened: 'value' },
  memoryType: { column: 'memory_type', value: 'type', given: true, inferred: 'type', indexed: true },
  /** True when a caller chose the type; otherwise it is the default or inferred. */
  typeGiven: { column: 'type_given', name: null, value: 'flag' },
  title: { column: 'title', value: 'line', nullable: true, given: true, inferred: 'title', screened: 'value' },
  weight: { column: 'weight', value: 'number', given: true, default: 0.5 },
  sourceUri: { column: 'source_uri', value: 'text', nullable: true, given: true, screened: 'value' },
  runId: { column: 'run_id', value: 'text', nullable: true, given: true, indexed: true, screened: 'name' },
  language: { column: 'language', value: 'language', nullable: true, given: true },
  metadata: { column: 'metadata', value: 'object', given: true, default: {}, screened: 'value' },
  systemMetadata: { column: 'system_metadata', value: 'object' },
  createdAt: { column: 'created_at', value: 'time', indexed: true },
  updatedAt: { column: 'updated_at', value: 'time' },
  expiresAt: { column: 'expires_at', value: 'time', nullable: true, given: true, indexed: true },
  validStart: {
    column: 'valid_start',
    name: 'ts_valid_start',
    value: 'time',
    nullable: true,
    given: true,
    inferred: 'validity',
    indexed: true,
  },
  validEnd: {
    column: 'valid_end',
    name: 'ts_valid_end',
    value: 'time',
    nullable: true,
    given: true,
    inferred: 'validity',
    indexed: true,
  },
  subjectEntityId: { column: 'subject_entity_id', value: 'entity', nullable: true, given: true, inferred: 'triple' },
  predicate: { column: 'predicate', value: 'text', nullable: true, given: true, inferred: 'triple', screened: 'value' },
  objectValue: {
    column: 'object_value',
    value: 'text',
    nullable: true,
    given: true,
    inferred: 'triple',
    screened: 'value',
  },
  status: { column: 'status', value: 'status', given: true, default: 'active', indexed: true },
  visibility: { column: 'visibility', value: 'visibility', given: true, default: 'scope_team', indexed: true },
  confidence: { column: 'confidence', value: 'number', nullable: true, given: true },
  isInferred: { column: 'is_inferred', value: 'flag' },
  scope: { column: 'scope', value: 'object', nullable: true, given: true, screened: 'value' },
  version: { column: 'version', value: 'integer' },
} as const satisfies Record<string, MemoryField>

type Fields = typeof MEMORY_FIELDS
export type MemoryMember = keyof Fields

/** Members whose row has all of this. */
type MembersWith<Row> = { [M in MemoryMember]: Fields[M] extends Row ? M : never }[MemoryMember]
export type NamedMember = Exclude<MemoryMember, MembersWith<{ name: null }>>
export type GivenMember = MembersWith<{ given: true }>
export type InferredMember = MembersWith<{ inferred: string }>
export type IndexedMember = MembersWith<{ indexed: true }>
export type ScreenedMember = MembersWith<{ screened: string }>

/** Name of a member in the contract. */
export type NameOf<M extends NamedMember> = {
  [K in M]: Fields[K] extends { name: infer Name extends string } ? Name : Fields[K]['column']
}[M]

/** Member of a name in the contract. */
export type MemberNamed<Name extends NameOf<NamedMember>> = {
  [M in NamedMember]: NameOf<M> extends Name ? M : never
}[NamedMember]

/** Value of a field, null included where it may be empty. */
type FieldValue<M extends MemoryMember> =
  ValueTypes[Fields[M]['value']] | (Fields[M] extends { nullable: true } ? null : never)

/** A memory as Postgres stores it. */
export type Memory = { readonly [M in MemoryMember]: FieldValue<M> }

/** Types of the columns that are fields. */
export type FieldColumns = { [M in MemoryMember as Fields[M]['column']]: FieldValue<M> }

/** The rows of the table, as all of them are described. */
const ROWS: Readonly<Record<MemoryMember, MemoryField>> = MEMORY_FIELDS

function membersWhere<M extends MemoryMember>(isWanted: (field: MemoryField) => boolean): readonly M[] {
  return MEMORY_MEMBERS.filter((member): member is M => isWanted(ROWS[member]))
}

// All in the order of the table.
export const MEMORY_MEMBERS = Object.keys(MEMORY_FIELDS) as readonly MemoryMember[]
export const NAMED_MEMBERS = membersWhere<NamedMember>(({ name }) => name !== null)
export const GIVEN_MEMBERS = membersWhere<GivenMember>(({ given }) => given === true)
export const INFERRED_MEMBERS = membersWhere<InferredMember>(({ inferred }) => inferred !== undefined)
export const INDEXED_MEMBERS = membersWhere<IndexedMember>(({ indexed }) => indexed === true)
export const SCREENED_MEMBERS = membersWhere<ScreenedMember>(({ screened }) => screened !== undefined)

type GivenOf<Kind extends ValueKind> = GivenMember & MembersWith<{ value: Kind }>

/** Returns the members that callers give with values of this kind. */
export function givenOf<Kind extends ValueKind>(kind: Kind): readonly GivenOf<Kind>[] {
  return membersWhere<GivenOf<Kind>>(({ given, value }) => given === true && value === kind)
}

/** Returns a member's name in the contract. */
export function nameOf<M extends NamedMember>(member: M): NameOf<M> {
  return (ROWS[member].name ?? ROWS[member].column) as NameOf<M>
}

const MEMBERS_BY_NAME = new Map<string, NamedMember>(NAMED_MEMBERS.map((member) => [nameOf(member), member]))

/** Returns the member of a name in the contract. */
export function memberNamed<Name extends NameOf<NamedMember>>(name: Name): MemberNamed<Name> {
  return MEMBERS_BY_NAME.get(name) as MemberNamed<Name>
}

/** Returns what is stored of a field when a caller gives none. */
export function defaultOf<M extends GivenMember>(member: M): Memory[M] | null {
  return (ROWS[member].default ?? null) as Memory[M] | null
}

/**
 * Returns an object with these keys, to be copied by a spread and filled. Under V8 an object that gets more than a dozen
 * keys by computed names becomes a dictionary, and so does a copy that gets more keys: a memory then took 40 µs to
 * present, and takes 3 so.
 */
export function blankOf<K extends string>(keys: readonly K[]): Record<K, unknown> {
  return JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null])))) as Record<K, unknown>
}
