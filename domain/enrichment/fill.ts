import { isDeepStrictEqual } from 'node:util'
import { INFERRED_MEMBERS, type InferredMember, type Memory, nameOf } from '../memory-fields.js'
import { enrichmentOf, type InferredField } from './record.js'
import { storedType } from '../memory-draft.js'
import type { Inference } from './inference.js'

/** Fields that enrichment fills in their columns; the title is kept in its record. */
type FilledMember = Exclude<InferredMember, 'title'>
type FilledFields = Pick<Memory, FilledMember>

const FILLED = INFERRED_MEMBERS.filter((member): member is FilledMember => member !== 'title')

export interface FilledMemory {
  /** All fields that may be filled: the caller's value, else the model's. */
  readonly fields: FilledFields
  readonly title: string | null
  /** Names of the fields, the title among them, whose value is the model's. */
  readonly inferred: readonly InferredField[]
}

/**
 * Returns what a memory becomes by an inference: what callers gave stays, and what was inferred before counts as empty.
 * `entityIdOf` returns the id of an entity by its name, null for one that was not created.
 */
export function fillEmptyFields(
  row: Memory,
  inference: Inference | null,
  entityIdOf: (name: string) => string | null,
): FilledMemory {
  const given = callerValues(row)
  const fields: FilledFields = {
    memoryType: row.typeGiven ? given.memoryType : (inference?.memoryType ?? given.memoryType),
    ...validityOf(given, inference),
    ...tripleOf(given, inference, entityIdOf),
  }
  const title = row.title === null ? (inference?.title ?? null) : null
  const filled = FILLED.filter((member) => !isDeepStrictEqual(fields[member], given[member]))
  return { fields, title, inferred: [...(title === null ? [] : (['title'] as const)), ...filled.map(nameOf)] }
}

/** Returns the values that callers gave; of the type, where they gave none, the default. */
function callerValues(row: Memory): FilledFields {
  const inferred = enrichmentOf(row.systemMetadata)?.inferred ?? []
  const own = FILLED.map((member) => [member, inferred.includes(nameOf(member)) ? EMPTY[member] : row[member]])
  return Object.fromEntries(own) as FilledFields
}

const EMPTY: FilledFields = {
  memoryType: storedType(null),
  validStart: null,
  validEnd: null,
  subjectEntityId: null,
  predicate: null,
  objectValue: null,
}

/** Ignores both inferred ends when they would not make a valid interval. */
function validityOf(given: FilledFields, inference: Inference | null): Pick<Memory, 'validStart' | 'validEnd'> {
  const validStart = given.validStart ?? inference?.validity.start ?? null
  const validEnd = given.validEnd ?? inference?.validity.end ?? null
  return validStart && validEnd && validEnd <= validStart
    ? { validStart: given.validStart, validEnd: given.validEnd }
    : { validStart, validEnd }
}

/** Takes the inferred triple only as a whole, where callers gave no part of one. */
function tripleOf(
  { subjectEntityId, predicate, objectValue }: FilledFields,
  inference: Inference | null,
  entityIdOf: (name: string) => string | null,
): Pick<Memory, 'subjectEntityId' | 'predicate' | 'objectValue'> {
  const given = { subjectEntityId, predicate, objectValue }
  const triple = inference?.triple
  if (!triple || subjectEntityId !== null || predicate !== null || objectValue !== null) return given
  const id = entityIdOf(triple.subject)
  return id === null ? given : { subjectEntityId: id, predicate: triple.predicate, objectValue: triple.object }
}
