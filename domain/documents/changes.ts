import { type Field, fieldsOf } from './fields.js'
import { membersOf } from './members.js'
import type { DocumentData } from './document.js'

/** Changes that a new version of a document's data makes to the rows that queries find it by. */
export interface FieldChanges {
  readonly written: readonly Field[]
  /** Keys that no longer have a field. */
  readonly gone: readonly string[]
  readonly members: { readonly written: readonly Field[]; readonly gone: readonly Field[]; readonly stored: boolean }
}

export function fieldChanges(before: DocumentData, after: DocumentData): FieldChanges {
  const old = new Map(fieldsOf(before).map(({ key, value }) => [key, value]))
  const fields = fieldsOf(after)
  const kept = new Set(fields.map(({ key }) => key))
  return {
    written: fields.filter(({ key, value }) => old.get(key) !== value),
    gone: [...old.keys()].filter((key) => !kept.has(key)),
    members: memberChanges(before, after),
  }
}

function memberChanges(before: DocumentData, after: DocumentData): FieldChanges['members'] {
  const [old, { rows, stored }] = [membersOf(before).rows, membersOf(after)]
  return { written: without(rows, old), gone: without(old, rows), stored }
}

function without(rows: readonly Field[], others: readonly Field[]): Field[] {
  const textOf = ({ key, value }: Field) => JSON.stringify([key, value])
  const left = new Set(others.map(textOf))
  return rows.filter((row) => !left.has(textOf(row)))
}
