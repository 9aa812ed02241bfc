import { type Field, fieldsOf } from './fields.js'
import type { DocumentData } from './document.js'

/** What another version of the data makes of a document's fields: which are written, and the keys that have none any more. */
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
