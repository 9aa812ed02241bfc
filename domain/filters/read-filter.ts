import { isScalar, type Scalar } from '../filter-values.js'
import { comparedTime } from './compared-time.js'
import type { Bound, FilterColumn, FilterExpression, FilterField } from './expression.js'

/** Leaves of one filter. */
const MOST_LEAVES = 20
/** Levels of `and`, `or` and `not` around a leaf. */
const MOST_LEVELS = 4
/** Values that the leaves of one filter name together: an engine may look for each of them in each row. */
const MOST_VALUES = 100

/** Says how a filter may ask for a column: by its text, as a time, or by an instant that a row's interval contains. */
export type ColumnRule =
  | { readonly is: 'time' }
  | { readonly is: 'interval' }
  /** Returns the stored form of a value, and null for a text that no row has. */
  | { readonly is: 'text'; readonly must: string; readonly stored: (text: string) => string | null }

/** The rule of a column that has any text. */
export const NAME: ColumnRule = { is: 'text', must: 'Must be a text.', stored: (text) => text }

/** The fields that a filter of some rows may name: `<keysOf>.<key>` for the top-level keys of what callers wrote, and columns. */
export interface FilterFields {
  readonly keysOf: string
  readonly columns: Readonly<Record<string, ColumnRule>>
}

/** Why a filter cannot be evaluated, and where. */
export interface FilterFault {
  readonly path: readonly string[]
  readonly msg: string
}

/** Parses a filter. Returns the first fault where it cannot be evaluated. */
export function readFilter(
  given: unknown,
  fields: FilterFields,
): { readonly expression: FilterExpression } | { readonly fault: FilterFault } {
  try {
    return { expression: new FilterReader(fields).read(given, [], 0) }
  } catch (error) {
    if (error instanceof Refusal) return { fault: error.fault }
    throw error
  }
}

class Refusal extends Error {
  constructor(readonly fault: FilterFault) {
    super(fault.msg)
  }
}

type Path = readonly string[]

class FilterReader {
  #leaves = 0
  #values = 0

  constructor(private readonly fields: FilterFields) {}

  read(given: unknown, path: Path, levels: number): FilterExpression {
    const entries = isObject(given) ? Object.entries(given) : []
    const [entry] = entries
    if (entry === undefined || entries.length > 1)
      return refuse(path, 'Must be an object with one name: and, or, not, or a field. `and` combines several.')
    const [name, value] = entry
    const place = [...path, name]
    if (name !== 'and' && name !== 'or' && name !== 'not') return this.#leaf(name, value, place)
    if (levels === MOST_LEVELS) return refuse(place, `At most ${MOST_LEVELS} levels of and, or and not.`)
    if (name === 'not') return { kind: 'not', of: this.read(value, place, levels + 1) }
    if (!Array.isArray(value) || value.length === 0) return refuse(place, 'Must be a list of one filter or more.')
    if (value.length > MOST_LEAVES) return tooManyLeaves(place)
    return { kind: name, of: value.map((one, i) => this.read(one, [...place, String(i)], levels + 1)) }
  }

  #leaf(name: string, value: unknown, path: Path): FilterExpression {
    if (++this.#leaves > MOST_LEAVES) return tooManyLeaves(path)
    const prefix = `${this.fields.keysOf}.`
    if (name.startsWith(prefix)) return this.#key({ key: name.slice(prefix.length) }, value, path)
    if (!Object.hasOwn(this.fields.columns, name))
      return refuse(
        path,
        `Is no field of a filter; these are: ${prefix}<key>, ${Object.keys(this.fields.columns).join(', ')}.`,
      )
    const rule = this.fields.columns[name]!
    // The rules are those of `FilterColumn`s and of the interval.
    const field = { column: name as FilterColumn }
    switch (rule.is) {
      case 'interval':
        return { kind: 'valid at', instant: timeAt(value, path) }
      case 'time':
        return this.#time(field, value, path)
      case 'text':
        return this.#text(field, rule, value, path)
    }
  }

  #key(field: FilterField, value: unknown, path: Path): FilterExpression {
    if (isScalar(value)) return { kind: 'any of', field, values: this.#valuesOf([value], path) }
    const operators = operatorsOf(value, path, ['in', 'exists', ...BOUNDS])
    return (
      existence(field, operators, path) ?? this.#membership(field, operators, path) ?? range(field, operators, path)
    )
  }

  #time(field: FilterField, value: unknown, path: Path): FilterExpression {
    const operators = operatorsOf(value, path, ['exists', ...BOUNDS])
    const compared = existence(field, operators, path) ?? range(field, operators, path)
    if (compared.kind === 'range' && compared.of !== 'times') return refuse(path, NO_TIME)
    return compared
  }

  #text(field: FilterField, rule: ColumnRule & { is: 'text' }, value: unknown, path: Path): FilterExpression {
    const stored = (text: Scalar, place: Path): string => {
      const found = typeof text === 'string' ? rule.stored(text) : null
      return found ?? refuse(place, rule.must)
    }
    if (isScalar(value)) return { kind: 'any of', field, values: this.#valuesOf([stored(value, path)], path) }
    const operators = operatorsOf(value, path, ['in', 'exists'])
    const found = existence(field, operators, path) ?? this.#membership(field, operators, path)!
    if (found.kind !== 'any of') return found
    return { ...found, values: found.values.map((text, i) => stored(text, [...path, 'in', String(i)])) }
  }

  #membership(field: FilterField, operators: Operators, path: Path): FilterExpression | null {
    if (!operators.has('in')) return null
    const values = operators.get('in')
    const place = [...path, 'in']
    if (operators.size > 1) return refuse(path, 'Takes `in` alone. `and` combines it with another condition.')
    if (!Array.isArray(values) || values.length === 0) return refuse(place, 'Must be a list of one value or more.')
    if (values.length > MOST_VALUES) return tooManyValues(place)
    for (const [i, one] of values.entries())
      if (!isScalar(one)) return refuse([...place, String(i)], 'Must be a text, a number, a boolean or null.')
    return { kind: 'any of', field, values: this.#valuesOf([...new Set(values as Scalar[])], place) }
  }

  #valuesOf(values: readonly Scalar[], path: Path): readonly Scalar[] {
    this.#values += values.length
    if (this.#values > MOST_VALUES) return tooManyValues(path)
    for (const value of values)
      if (typeof value === 'number' && !Number.isFinite(value))
        return refuse(path, 'Must be a number that JSON can have.')
    return values
  }
}

type Operators = ReadonlyMap<string, unknown>

const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const

function operatorsOf(value: unknown, path: Path, known: readonly string[]): Operators {
  const names = known.join(', ')
  if (!isObject(value)) return refuse(path, `Must be a value, or an object of these: ${names}.`)
  const operators = new Map(Object.entries(value))
  if (operators.size === 0) return refuse(path, `Must have one of these: ${names}.`)
  for (const name of operators.keys())
    if (!known.includes(name)) return refuse([...path, name], `Is not compared so; this takes ${names}.`)
  return operators
}

function existence(field: FilterField, operators: Operators, path: Path): FilterExpression | null {
  if (!operators.has('exists')) return null
  const wanted = operators.get('exists')
  if (operators.size > 1) return refuse(path, 'Takes `exists` alone. `and` combines it with another condition.')
  if (typeof wanted !== 'boolean') return refuse([...path, 'exists'], 'Must be true or false.')
  const exists = { kind: 'exists', field } as const
  return wanted ? exists : { kind: 'not', of: exists }
}

function range(field: FilterField, operators: Operators, path: Path): FilterExpression {
  const bounds = new Map([...operators].map(([name, value]) => [name, boundAt(value, [...path, name])]))
  for (const [one, other] of [
    ['gt', 'gte'],
    ['lt', 'lte'],
  ] as const)
    if (bounds.has(one) && bounds.has(other)) return refuse(path, `Takes one of ${one} and ${other}.`)
  const kinds = new Set([...bounds.values()].map(({ of }) => of))
  if (kinds.size > 1) return refuse(path, 'Compares numbers or times, not both.')
  const boundOf = (including: string, excluding: string): Bound | undefined => {
    const found = bounds.get(including) ?? bounds.get(excluding)
    return found && { value: found.value, includes: bounds.has(including) }
  }
  const from = boundOf('gte', 'gt')
  const to = boundOf('lte', 'lt')
  return { kind: 'range', field, of: [...kinds][0]!, ...(from && { from }), ...(to && { to }) }
}

function boundAt(value: unknown, path: Path): { readonly of: 'numbers' | 'times'; readonly value: number } {
  // Adding 0 makes 0 of -0.
  if (typeof value === 'number' && Number.isFinite(value)) return { of: 'numbers', value: value + 0 }
  if (typeof value !== 'string') return refuse(path, `Must be a number or a time. ${NO_TIME}`)
  return { of: 'times', value: timeAt(value, path) }
}

const NO_TIME =
  'A time is written as 2026-01-31, its beginning in UTC, or with an offset or Z, as 2026-01-31T08:00:00+01:00.'

function timeAt(value: unknown, path: Path): number {
  const instant = typeof value === 'string' ? comparedTime(value) : null
  return instant ?? refuse(path, NO_TIME)
}

function tooManyLeaves(path: Path): never {
  return refuse(path, `A filter has at most ${MOST_LEAVES} conditions.`)
}

function tooManyValues(path: Path): never {
  return refuse(path, `A filter names at most ${MOST_VALUES} values.`)
}

function refuse(path: Path, msg: string): never {
  throw new Refusal({ path, msg })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
