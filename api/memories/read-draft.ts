import { parseInstant } from '../../domain/instant.js'
import { EMPTY_DRAFT, type LinkDraft, type MemoryDraft } from '../../domain/memory-draft.js'
import {
  GIVEN_MEMBERS,
  type GivenMember,
  type MemberNamed,
  type Memory,
  MEMORY_FIELDS,
  type NameOf,
  nameOf,
} from '../../domain/memory-fields.js'
import { languageOfTag } from '../../domain/text/language-tag.js'
import { visibleName } from '../../domain/text/names/visible-name.js'
import type { Checked, components } from '../../contract/types.js'
import type { MemoryChange } from '../../services/memories/memory-change.js'

type MemoryFields = Checked<'MemoryFields'>
type MemoryPatch = components['schemas']['MemoryPatch']
type GivenName = NameOf<GivenMember>

/** Fields of the contract. Does not compile unless the table has the same, and null for those that null clears. */
type AsInTable<Fields extends Agreeing<Fields>> = Partial<Fields>
type Agreeing<Fields> = Record<GivenName, unknown> & {
  [N in keyof Fields]: N extends GivenName
    ? IsNullable<Fields[N]> extends IsNullable<Memory[MemberNamed<N>]>
      ? unknown
      : never
    : never
}
type IsNullable<Value> = null extends Value ? true : false

type WrittenFields = AsInTable<Required<Omit<MemoryFields, 'entity_links' | 'supersedes_id'>>>
type PatchedFields = AsInTable<Required<Omit<MemoryPatch, 'entity_links' | 'tenant_id'>>>

/** Returns the fields of a write, which the contract has validated, as a draft. */
export function readDraft({ entity_links, supersedes_id, ...fields }: MemoryFields): MemoryDraft {
  const draft = {
    ...EMPTY_DRAFT,
    links: readLinks(entity_links ?? []),
    supersedesId: supersedes_id?.toLowerCase() ?? null,
  }
  fillFields(draft, fields)
  return draft
}

/** Returns the fields that a patch names, read like those of a write. */
export function readChange({ entity_links, tenant_id: _, ...fields }: MemoryPatch): MemoryChange {
  const change: MemoryChange = entity_links ? { links: readLinks(entity_links) } : {}
  fillFields(change, fields)
  return change
}

const GIVEN = GIVEN_MEMBERS.map((member) => ({ member, name: nameOf(member), ...MEMORY_FIELDS[member] }))

/** Sets the members of those fields that are given. */
function fillFields(target: Partial<Record<GivenMember, unknown>>, fields: WrittenFields | PatchedFields): void {
  for (const field of GIVEN) {
    const given = fields[field.name]
    if (given !== undefined) target[field.member] = given === null ? null : readValue(field, given)
  }
}

function readValue({ value }: (typeof GIVEN)[number], given: unknown): unknown {
  switch (value) {
    case 'line':
      return (given as string).trim() || null
    case 'language':
      return languageOfTag(given as string)
    // Callers may send capitals; Postgres writes none.
    case 'entity':
      return (given as string).toLowerCase()
    // Postgres refuses numbers that are too small for four bytes instead of storing 0.
    case 'number':
      return Math.fround(given as number)
    case 'time':
      return new Date(parseInstant(given as string)!)
    default:
      return given
  }
}

function readLinks(links: NonNullable<MemoryFields['entity_links']>): LinkDraft[] {
  return links.map((link) => ({
    entityId: link.entity_id?.toLowerCase() ?? null,
    name: link.name == null ? null : visibleName(link.name),
    entityType: (link.entity_type && visibleName(link.entity_type)) || null,
    role: (link.role && visibleName(link.role)) || null,
  }))
}
