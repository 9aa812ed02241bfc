import { type RawBuilder, sql } from 'kysely'
import { COMPARED_TIME } from '../../domain/filters/compared-time.js'
import type { AnyOf, Bound, FilterExpression, FilterField, Range, TimeColumn } from '../../domain/filters/expression.js'

/** Returns the condition that a row m meets a caller's filter. It is true or false, never null, so that `not` turns it around. */
export function meetsFilter(expression: FilterExpression): RawBuilder<boolean> {
  switch (expression.kind) {
    case 'and':
      return sql<boolean>`(${sql.join(expression.of.map(meetsFilter), sql` and `)})`
    case 'or':
      return sql<boolean>`(${sql.join(expression.of.map(meetsFilter), sql` or `)})`
    case 'not':
      return sql<boolean>`(not ${meetsFilter(expression.of)})`
    case 'any of':
      return isTrue(isAnyOf(expression))
    case 'exists':
      return isTrue(exists(expression.field))
    case 'range':
      return isTrue('key' in expression.field ? keyInRange(expression.field.key, expression) : timeInRange(expression))
    case 'valid at':
      return isTrue(isValidAt(expression.instant))
  }
}

/** Returns the condition that the validity interval of a row m contains the instant. */
export function isValidAt(instant: number): RawBuilder<boolean> {
  const at = new Date(instant)
  return sql<boolean>`(m.valid_start is null or m.valid_start <= ${at}) and (m.valid_end is null or m.valid_end > ${at})`
}

function isTrue(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`((${condition}) is true)`
}

const TIME_COLUMNS = {
  created_at: sql`m.created_at`,
  ts_valid_start: sql`m.valid_start`,
  ts_valid_end: sql`m.valid_end`,
} as const satisfies Record<TimeColumn, RawBuilder<unknown>>

function isAnyOf({ field, values }: AnyOf): RawBuilder<unknown> {
  // A list contains its members, and a value itself.
  if ('key' in field)
    return sql`m.metadata -> ${field.key}::text @> any(${values.map((one) => JSON.stringify(one))}::jsonb[])`
  const texts = values as string[]
  switch (field.column) {
    case 'tags':
      return sql`m.system_metadata -> 'tags' ?| ${texts}::text[]`
    case 'entity_id':
      return sql`exists (select from entity_links l
        where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.entity_id = any(${texts}::uuid[]))`
    default:
      return sql`${columnOf(field.column)} = any(${texts}::text[])`
  }
}

function exists(field: FilterField): RawBuilder<unknown> {
  if ('key' in field) return sql`jsonb_typeof(m.metadata -> ${field.key}::text) <> 'null'`
  switch (field.column) {
    case 'tags':
      return sql`m.system_metadata ? 'tags'`
    case 'entity_id':
      return sql`exists (select from entity_links l where l.tenant_id = m.tenant_id and l.memory_id = m.id)`
    default:
      return sql`${columnOf(field.column)} is not null`
  }
}

function columnOf(column: Exclude<Extract<FilterField, { column: unknown }>['column'], 'tags' | 'entity_id'>) {
  return column in TIME_COLUMNS ? TIME_COLUMNS[column as TimeColumn] : sql.ref(`m.${column}`)
}

function timeInRange({ field, from, to }: Range): RawBuilder<unknown> {
  const column = TIME_COLUMNS[(field as { column: TimeColumn }).column]
  return within(column, { from, to }, (value) => sql`${new Date(value)}`)
}

/** Compares the value at the key, or each member of a list there. A `case` decides what is cast: another value would fail the statement. */
function keyInRange(key: string, { of, from, to }: Range): RawBuilder<unknown> {
  const value = sql`(m.metadata -> ${key}::text)`
  const isWithin = (one: RawBuilder<unknown>) =>
    of === 'numbers'
      ? sql`case when jsonb_typeof(${one}) = 'number' then
          ${within(sql`${one}::numeric`, { from, to }, (bound) => sql`${String(bound)}::numeric`)} else false end`
      : sql`case when jsonb_typeof(${one}) = 'string' and ${one} #>> '{}' ~ ${COMPARED_TIME} then
          ${within(timeOf(sql`${one} #>> '{}'`), { from, to }, (bound) => sql`${new Date(bound)}`)} else false end`
  return sql`case when jsonb_typeof(${value}) = 'array'
    then exists (select from jsonb_array_elements(${value}) as e(value) where ${isWithin(sql`e.value`)})
    else ${isWithin(value)} end`
}

/** Returns the time that a text is (`comparedTime`): a date is its beginning in UTC, and only milliseconds count. */
function timeOf(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`regexp_replace(regexp_replace(${text}, '([.][0-9]{3})[0-9]+', '\\1'), '^(.{10})$', '\\1T00:00Z')::timestamptz`
}

function within(
  value: RawBuilder<unknown>,
  { from, to }: { readonly from?: Bound | undefined; readonly to?: Bound | undefined },
  render: (bound: number) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const conditions = [
    ...(from === undefined ? [] : [sql`${value} ${from.includes ? sql`>=` : sql`>`} ${render(from.value)}`]),
    ...(to === undefined ? [] : [sql`${value} ${to.includes ? sql`<=` : sql`<`} ${render(to.value)}`]),
  ]
  return sql.join(conditions, sql` and `)
}
