import { type RawBuilder, sql } from 'kysely'
import type { FilterColumn, FilterExpression, TimeColumn } from '../../domain/filters/expression.js'
import { filterCondition, type FilteredRow } from '../filter-condition.js'

/** Returns the condition that a row m meets a caller's filter. It is true or false, never null. */
export function meetsFilter(expression: FilterExpression): RawBuilder<boolean> {
  return filterCondition(MEMORY, expression)
}

/** Returns the condition that the validity interval of a row m contains the instant. */
export function isValidAt(instant: number): RawBuilder<boolean> {
  const at = new Date(instant)
  return sql<boolean>`(m.valid_start is null or m.valid_start <= ${at}) and (m.valid_end is null or m.valid_end > ${at})`
}

const TIME_COLUMNS = {
  created_at: sql`m.created_at`,
  ts_valid_start: sql`m.valid_start`,
  ts_valid_end: sql`m.valid_end`,
} as const satisfies Record<TimeColumn, RawBuilder<unknown>>

const MEMORY: FilteredRow = {
  keys: sql`m.metadata`,
  isAnyOf(column, texts) {
    switch (column) {
      case 'tags':
        return sql`m.system_metadata -> 'tags' ?| ${texts as string[]}::text[]`
      case 'entity_id':
        return sql`exists (select from entity_links l
          where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.entity_id = any(${texts as string[]}::uuid[]))`
      default:
        return sql`${columnOf(column)} = any(${texts as string[]}::text[])`
    }
  },
  exists(column) {
    switch (column) {
      case 'tags':
        return sql`m.system_metadata ? 'tags'`
      case 'entity_id':
        return sql`exists (select from entity_links l where l.tenant_id = m.tenant_id and l.memory_id = m.id)`
      default:
        return sql`${columnOf(column)} is not null`
    }
  },
  timeOf: (column) => TIME_COLUMNS[column as TimeColumn],
  isValidAt,
}

function columnOf(column: FilterColumn): RawBuilder<unknown> {
  return column in TIME_COLUMNS ? TIME_COLUMNS[column as TimeColumn] : sql.ref(`m.${column}`)
}
