import { type RawBuilder, sql } from 'kysely'
import { COMPARED_TIME } from '../domain/filters/compared-time.js'
import type { AnyOf, Bound, FilterColumn, FilterExpression, FilterField, Range } from '../domain/filters/expression.js'

/** Renders what a filter asks of the rows of one table. */
export interface FilteredRow {
  /** The column, of type jsonb, that has the keys. */
  readonly keys: RawBuilder<unknown>
  /** Returns the condition that the column has one of these texts. */
  readonly isAnyOf: (column: FilterColumn, texts: readonly string[]) => RawBuilder<unknown>
  /** Returns the condition that the column has a value. */
  readonly exists: (column: FilterColumn) => RawBuilder<unknown>
  /** Returns the column as a timestamp. */
  readonly timeOf: (column: FilterColumn) => RawBuilder<unknown>
  /** Returns the condition that the row is valid at an instant. */
  readonly isValidAt: (instant: number) => RawBuilder<unknown>
}

/** Returns the condition that a row meets a caller's filter. It is true or false, never null, so that `not` turns it around. */
export function filterCondition(row: FilteredRow, expression: FilterExpression): RawBuilder<boolean> {
  const meets = (one: FilterExpression) => filterCondition(row, one)
  switch (expression.kind) {
    case 'and':
      return sql<boolean>`(${sql.join(expression.of.map(meets), sql` and `)})`
    case 'or':
      return sql<boolean>`(${sql.join(expression.of.map(meets), sql` or `)})`
    case 'not':
      return sql<boolean>`(not ${meets(expression.of)})`
    case 'any of':
      return isTrue(isAnyOf(row, expression))
    case 'exists':
      return isTrue(exists(row, expression.field))
    case 'range':
      return isTrue(
        'key' in expression.field ? keyInRange(row, expression.field.key, expression) : timeInRange(row, expression),
      )
    case 'valid at':
      return isTrue(row.isValidAt(expression.instant))
  }
}

function isTrue(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`((${condition}) is true)`
}

function isAnyOf({ keys, isAnyOf: columnIsAnyOf }: FilteredRow, { field, values }: AnyOf): RawBuilder<unknown> {
  // A list contains its members, and a value itself.
  if ('key' in field)
    return sql`${keys} -> ${field.key}::text @> any(${values.map((one) => JSON.stringify(one))}::jsonb[])`
  return columnIsAnyOf(field.column, values as string[])
}

function exists(row: FilteredRow, field: FilterField): RawBuilder<unknown> {
  return 'key' in field ? sql`jsonb_typeof(${row.keys} -> ${field.key}::text) <> 'null'` : row.exists(field.column)
}

function timeInRange(row: FilteredRow, { field, from, to }: Range): RawBuilder<unknown> {
  const column = row.timeOf((field as { column: FilterColumn }).column)
  return within(column, { from, to }, (value) => sql`${new Date(value)}`)
}

/** Compares the value at the key, or each member of a list there. A `case` decides what is cast: another value would fail the statement. */
function keyInRange({ keys }: FilteredRow, key: string, { of, from, to }: Range): RawBuilder<unknown> {
  const value = sql`(${keys} -> ${key}::text)`
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
