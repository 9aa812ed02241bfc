import {
  type FilterExpression,
  type FilterField,
  type FilterLeaf,
  leavesOf,
  type TimeColumn,
} from '../../domain/filters/expression.js'
import type { IndexCondition, IndexedTimeColumn } from '../../domain/filters/index-condition.js'
import { DOCUMENT_FILTER_FIELDS } from '../../domain/filters/document-fields.js'
import { MEMORY_FILTER_FIELDS } from '../../domain/filters/memory-fields.js'
import { type FilterFields, readFilter } from '../../domain/filters/read-filter.js'
import { fieldValue, timeValue } from '../../domain/filter-values.js'
import type { Principal } from '../../domain/principal.js'
import { audienceOf } from '../../domain/visibility.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { keyTerm, metadataTerm, TAGGED_TERM, tagTerm } from '../../search/search-index.js'
import { readNames } from '../../store/entities.js'
import type { Store } from '../../store/store.js'
import { requireFleets } from '../access/trust.js'

/** Most bytes of a filter as JSON. */
const MOST_BYTES = 16 * 1024

/** Parses a caller's filter, which stands at the path of the input. Throws InvalidArgumentsError where it cannot be evaluated. */
function parseFilter(given: unknown, fields: FilterFields, path: readonly string[]): FilterExpression {
  const read = readFilter(given, fields)
  if ('fault' in read) throw InvalidArgumentsError.at([...path, ...read.fault.path], read.fault.msg)
  if (Buffer.byteLength(JSON.stringify(given)) > MOST_BYTES)
    throw InvalidArgumentsError.at(path, `A filter has at most ${MOST_BYTES} bytes as JSON.`)
  return read.expression
}

/** Parses a filter on documents. Throws InvalidArgumentsError where it cannot be evaluated. */
export function readDocumentFilter(given: unknown): FilterExpression {
  return parseFilter(given, DOCUMENT_FILTER_FIELDS, ['filter'])
}

/**
 * Parses a filter on memories. Throws InvalidArgumentsError where it cannot be evaluated, and TrustError where it names another fleet than the caller's
 * below trust 2. It opens no fleet to any caller.
 */
export function readMemoryFilter(principal: Principal, given: unknown, path: readonly string[]): FilterExpression {
  const expression = parseFilter(given, MEMORY_FILTER_FIELDS, path)
  for (const leaf of leavesOf(expression))
    if (leaf.kind === 'any of' && 'column' in leaf.field && leaf.field.column === 'fleet_id')
      requireFleets(principal, leaf.values as readonly string[])
  return expression
}

/**
 * Returns an expression that is true of the other names of a thing too, where it names an entity that is merged with others and that the caller
 * sees.
 */
export async function withOtherNames(
  store: Store,
  principal: Principal,
  expression: FilterExpression,
): Promise<FilterExpression> {
  const ids = leavesOf(expression).flatMap((leaf) => (namesEntities(leaf) ? (leaf.values as readonly string[]) : []))
  if (ids.length === 0) return expression
  const names = await store.read(principal, (reader) => readNames(reader, audienceOf(principal, 'all'), ids))
  return names.size === 0 ? expression : extended(expression, names)
}

function extended(expression: FilterExpression, names: ReadonlyMap<string, readonly string[]>): FilterExpression {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { ...expression, of: expression.of.map((one) => extended(one, names)) }
    case 'not':
      return { ...expression, of: extended(expression.of, names) }
    default: {
      if (!namesEntities(expression)) return expression
      const ids = (expression.values as readonly string[]).map((id) => id.toLowerCase())
      return { ...expression, values: [...new Set(ids.flatMap((id) => names.get(id) ?? [id]))] }
    }
  }
}

function namesEntities(leaf: FilterLeaf): leaf is Leaf<'any of'> {
  return leaf.kind === 'any of' && 'column' in leaf.field && leaf.field.column === 'entity_id'
}

/** Returns an expression on memories as an engine evaluates it. */
export function memoryCondition(expression: FilterExpression): IndexCondition {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { kind: expression.kind, of: expression.of.map(memoryCondition) }
    case 'not':
      return { kind: 'not', of: memoryCondition(expression.of) }
    default:
      return leafCondition(expression)
  }
}

function leafCondition(leaf: FilterLeaf): IndexCondition {
  switch (leaf.kind) {
    case 'any of':
      return isAnyOf(leaf.field, leaf.values)
    case 'exists':
      return exists(leaf.field)
    case 'range':
      return 'key' in leaf.field
        ? termRange(leaf.field.key, leaf)
        : { ...boundsOf(leaf), kind: 'times', column: TIME_COLUMNS[leaf.field.column as TimeColumn] }
    case 'valid at':
      return leaf
  }
}

/** A leaf of one kind. */
export type Leaf<Kind extends FilterLeaf['kind']> = Extract<FilterLeaf, { kind: Kind }>

/** Returns the bounds of a range. */
export function boundsOf({ from, to }: Leaf<'range'>): Pick<Leaf<'range'>, 'from' | 'to'> {
  return { ...(from && { from }), ...(to && { to }) }
}

const TIME_COLUMNS = {
  created_at: 'created_at',
  ts_valid_start: 'valid_start',
  ts_valid_end: 'valid_end',
} as const satisfies Record<TimeColumn, IndexedTimeColumn>

function isAnyOf(field: FilterField, values: Leaf<'any of'>['values']): IndexCondition {
  if ('key' in field) return { kind: 'terms', anyOf: values.map((value) => metadataTerm(field.key, fieldValue(value))) }
  const texts = values as readonly string[]
  switch (field.column) {
    case 'tags':
      return { kind: 'terms', anyOf: texts.map(tagTerm) }
    case 'entity_id':
      return { kind: 'entities', anyOf: texts }
    case 'created_at':
    case 'ts_valid_start':
    case 'ts_valid_end':
    case 'doc_id':
    case 'updated_at':
      throw new Error(`a memory has no such column of names: ${field.column}`)
    default:
      return { kind: 'column', column: field.column, anyOf: texts }
  }
}

function exists(field: FilterField): IndexCondition {
  if ('key' in field) return { kind: 'terms', anyOf: [keyTerm(field.key)] }
  switch (field.column) {
    case 'tags':
      return { kind: 'terms', anyOf: [TAGGED_TERM] }
    case 'entity_id':
      return { kind: 'has entity' }
    case 'created_at':
    case 'ts_valid_start':
    case 'ts_valid_end':
      return { kind: 'has', column: TIME_COLUMNS[field.column] }
    case 'doc_id':
    case 'updated_at':
      throw new Error(`a memory has no such column: ${field.column}`)
    default:
      return { kind: 'has', column: field.column }
  }
}

/** The terms of a key's numbers begin with the first, and no other term of the key stands between the two. */
const ENDS = { numbers: ['2', '3'], times: ['4', '5'] } as const

/** Returns the condition that a value of the key, as `metadataTerm`, is within the bounds. */
export function termRange(key: string, { of, from, to }: Leaf<'range'>): IndexCondition {
  const value = of === 'numbers' ? fieldValue : timeValue
  const [first, end] = ENDS[of]
  // Without the end of its JSON a term sorts before all that begin like it.
  const before = (text: string) => ({ term: metadataTerm(key, text).slice(0, -2), includes: false })
  return {
    kind: 'terms between',
    from: from ? { term: metadataTerm(key, value(from.value)), includes: from.includes } : before(first),
    to: to ? { term: metadataTerm(key, value(to.value)), includes: to.includes } : before(end),
  }
}
