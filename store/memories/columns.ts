import { type RawBuilder, sql } from 'kysely'
import { type Memory, MEMORY_FIELDS, type MemoryMember, type ValueKind } from '../../domain/memory-fields.js'

/** Returns the columns of `memories m` with these members, under their names, for a `select`. */
export function selectColumns(members: readonly MemoryMember[]): RawBuilder<unknown> {
  return sql.raw(members.map((member) => `m.${MEMORY_FIELDS[member].column} as "${member}"`).join(', '))
}

/** Returns the names of the columns with these members, for an `insert`. */
export function columnNames(members: readonly MemoryMember[]): RawBuilder<unknown> {
  return sql.raw(members.map((member) => MEMORY_FIELDS[member].column).join(', '))
}

/** Returns the names of these members as `recordColumns` defines them. */
export function recordNames(members: readonly MemoryMember[]): RawBuilder<unknown> {
  return sql.raw(members.map((member) => `"${member}"`).join(', '))
}

/** Returns the definition of a record with these members, for `jsonb_to_recordset`. */
export function recordColumns(members: readonly MemoryMember[]): RawBuilder<unknown> {
  return sql.raw(members.map((member) => `"${member}" ${SQL_TYPES[MEMORY_FIELDS[member].value]}`).join(', '))
}

/** Returns the values of these fields by their columns, for an `update`. */
export function columnValues(fields: Partial<Memory>): Record<string, unknown> {
  const values = Object.entries(fields) as [MemoryMember, unknown][]
  return Object.fromEntries(
    values.map(([member, value]) => {
      const { column, value: kind } = MEMORY_FIELDS[member]
      return [column, kind === 'object' && value !== null ? JSON.stringify(value) : value]
    }),
  )
}

const SQL_TYPES = {
  id: 'uuid',
  entity: 'uuid',
  text: 'text',
  line: 'text',
  language: 'text',
  type: 'text',
  status: 'text',
  visibility: 'text',
  number: 'real',
  integer: 'integer',
  flag: 'boolean',
  time: 'timestamptz',
  object: 'jsonb',
} as const satisfies { [Kind in ValueKind]: string }
