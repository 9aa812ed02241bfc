import { type RawBuilder, sql } from 'kysely'
import { type FilterExpression, leavesOf } from '../../domain/filters/expression.js'
import { filterCondition } from '../filter-condition.js'

/** Returns true if a filter names keys, which the data of a document decides; the columns of its row decide everything else. */
export function readsData(expression: FilterExpression | undefined): boolean {
  return expression !== undefined && leavesOf(expression).some((leaf) => 'field' in leaf && 'key' in leaf.field)
}

/** Returns the condition that a row of documents under this alias meets a caller's filter; true without one. It reads the data where the filter names a key. */
export function documentMeetsFilter(alias: 'd' | 'o', expression: FilterExpression | undefined): RawBuilder<boolean> {
  if (expression === undefined) return sql<boolean>`true`
  const columnOf = (name: string) => sql.ref(`${alias}.${name}`)
  const row = {
    keys: columnOf('data'),
    isAnyOf: (column: string, texts: readonly string[]) => sql`${columnOf(column)} = any(${texts as string[]}::text[])`,
    exists: (column: string) => sql`${columnOf(column)} is not null`,
    timeOf: columnOf,
    isValidAt: () => {
      throw new Error('a document is valid at no time')
    },
  }
  return filterCondition(row, expression)
}
