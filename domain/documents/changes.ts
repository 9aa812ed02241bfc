import { type Field, fieldsOf } from './fields.js'
import type { DocumentData } from './document.js'

/** The fields that a new version of a document's data writes, and the keys that no longer have one. */
export interface FieldChanges {
  readonly written: readonly Field[]
  readonly gone: readonly string[]
}

export function fieldChanges(before: DocumentData, after: DocumentData): FieldChanges {
  const old = new Map(fieldsOf(before).map(({ key, value }) => [key, value]))
  const fields = fieldsOf(after)
  const kept = new Set(fields.map(({ key }) => key))
  return {
    written: fields.filter(({ key, value }) => old.get(key) !== value),
    gone: [...old.keys()].filter((key) => !kept.has(key)),
  }
}
