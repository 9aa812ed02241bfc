import { createHash } from 'node:crypto'
import { embeddedText } from '../text/memory-text.js'

/** Fields of a memory that the service fills in where callers left them empty, by the names of the contract. */
export const INFERRED_FIELDS = [
  'title',
  'memory_type',
  'ts_valid_start',
  'ts_valid_end',
  'subject_entity_id',
  'predicate',
  'object_value',
] as const
export type InferredField = (typeof INFERRED_FIELDS)[number]

/**
 * `system_metadata.enrichment`: what a language model made of the text. `done` when something of its answer passed the checks, `abstained`
 * when nothing did, `failed` when it gave none that can be used.
 */
export interface EnrichmentRecord {
  readonly state: 'done' | 'abstained' | 'failed'
  readonly model: string
  /** Version of what was asked. */
  readonly prompt: number
  /** Of the text that was read, a caller's title included: it is not read again. */
  readonly text: string
  readonly at: string
  /** Which fields the record shows are the service's; they leave with the text, or when a caller gives them. */
  readonly inferred: readonly InferredField[]
  /**
   * The inferred title. It stands here and not in the title's column: the text that is embedded, indexed and compared with others stays what
   * was written.
   */
  readonly title?: string
}

/** Of values that mean nothing without one another. */
const GROUPS: readonly (readonly InferredField[])[] = [
  ['title'],
  ['memory_type'],
  ['ts_valid_start', 'ts_valid_end'],
  ['subject_entity_id', 'predicate', 'object_value'],
]

/** Which inferred fields a change by a caller takes away: all with the text, else those that it names and what belongs to them. */
export function inferencesLeaving(
  record: EnrichmentRecord | null,
  change: { readonly text: boolean; readonly fields: readonly string[] },
): InferredField[] {
  if (record === null) return []
  if (change.text) return [...record.inferred]
  const named = GROUPS.filter((group) => group.some((field) => change.fields.includes(field))).flat()
  return record.inferred.filter((field) => named.includes(field))
}

/** The record without these fields. */
export function withoutInferences(record: EnrichmentRecord, leaving: readonly InferredField[]): EnrichmentRecord {
  const { title, ...rest } = record
  const inferred = record.inferred.filter((field) => !leaving.includes(field))
  return { ...rest, inferred, ...(title !== undefined && inferred.includes('title') && { title }) }
}

/** Of a memory's `system_metadata`. */
export function enrichmentOf(systemMetadata: Record<string, unknown>): EnrichmentRecord | null {
  return (systemMetadata.enrichment as EnrichmentRecord | undefined) ?? null
}

/** Raised with every change of what is asked: texts that were read with an older one may be read again. */
export const ENRICHMENT_PROMPT = 1

interface Worded {
  /** The caller's. */
  readonly title: string | null
  readonly content: string
}

/** What a text is known by in `EnrichmentRecord.text`: the first half of the SHA-256 of what is embedded of it, in hex. */
export function textKey(memory: Worded): string {
  return createHash('sha256').update(embeddedText(memory)).digest('hex').slice(0, 32)
}

/** Whether all that was read under this key still stands in the memory: a title that came since takes nothing away. */
export function isRead(key: string, memory: Worded): boolean {
  return key === textKey(memory) || key === textKey({ ...memory, title: null })
}
