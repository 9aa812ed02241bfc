import { INFERRED_MEMBERS, type InferredMember, MEMORY_FIELDS, type NameOf, nameOf } from '../memory-fields.js'

/** Fields of a memory that the service fills in where callers left them empty, under their names in the contract. */
export type InferredField = NameOf<InferredMember>

/**
 * `system_metadata.enrichment`: what a language model inferred from the text. `done` when some of its answer passed the
 * checks, `abstained` when none did, `failed` when it gave no usable answer.
 */
export interface EnrichmentRecord {
  readonly state: 'done' | 'abstained' | 'failed'
  readonly model: string
  /** Version of the prompt. */
  readonly prompt: number
  /** Key (`textKey`) of the text that was read, a caller's title included: it is not read again. */
  readonly text: string
  readonly at: string
  /** Fields whose values the service inferred. They are removed when the text changes, or when a caller sets them. */
  readonly inferred: readonly InferredField[]
  /**
   * The inferred title. It is stored here and not in the title's column, so that the text that is embedded, indexed and
   * compared stays as it was written.
   */
  readonly title?: string
}

/** The group of each field: their values mean nothing without one another. */
const GROUPS = new Map<string, string>(
  INFERRED_MEMBERS.map((member) => [nameOf(member), MEMORY_FIELDS[member].inferred]),
)

/**
 * Returns the inferred fields that a caller's change removes: all of them when the text changes, else the named ones
 * and those grouped with them.
 */
export function inferencesToRemove(
  record: EnrichmentRecord | null,
  change: { readonly text: boolean; readonly fields: readonly string[] },
): InferredField[] {
  if (record === null) return []
  if (change.text) return [...record.inferred]
  const groups = change.fields.flatMap((field) => GROUPS.get(field) ?? [])
  return record.inferred.filter((field) => groups.includes(GROUPS.get(field)!))
}

/** Returns the record without these fields. */
export function withoutInferences(record: EnrichmentRecord, leaving: readonly InferredField[]): EnrichmentRecord {
  const { title, ...rest } = record
  const inferred = record.inferred.filter((field) => !leaving.includes(field))
  return { ...rest, inferred, ...(title !== undefined && inferred.includes('title') && { title }) }
}

/** Returns the enrichment record in a memory's `system_metadata`, or null. */
export function enrichmentOf(systemMetadata: Record<string, unknown>): EnrichmentRecord | null {
  return (systemMetadata.enrichment as EnrichmentRecord | undefined) ?? null
}
