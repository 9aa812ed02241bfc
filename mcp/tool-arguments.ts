import type { Schema } from '../contract/openapi-types.js'
import { Slices, type Yielding } from '../runtime/slices.js'
import { didYouMean } from './did-you-mean.js'
import { readJsonText } from './json-text.js'
import { type Field, fieldsOfObject, type ToolFields, typesOf } from './tool-fields.js'
import { type ArgumentFault, RefusedArguments } from './tool-refusal.js'
import type { Tool, ToolOperation } from './tools.js'

export type Arguments = Readonly<Record<string, unknown>>

export interface CalledOperation {
  readonly tool: Tool
  readonly op: string
  readonly operation: ToolOperation
}

interface ReadingContext {
  readonly fields: ToolFields
  readonly tenantId: string | null
}

/** Milliseconds for which other requests wait at most, as while a body is read. */
const SLICE_MS = 2

/** Arguments that say whose rows are read. */
const WHOSE = ['agent_id', 'fleet_id', 'filter_agent_id', 'fleet_ids']

/** Most unknown arguments that a refusal names, and most characters of the name of each. */
const MOST_NAMED = 20
const MOST_OF_NAME = 100
/** Most of them in its message. */
const MOST_IN_MESSAGE = 5

/**
 * Reads the arguments of a call as the contract wants them. Models and their clients write null or "" for what they leave out, numbers, lists
 * and objects as JSON in a string, and a lone value for a list of one; all of that is taken. Returns the values by the names of the fields.
 * Throws RefusedArguments for what has no place in a request; what breaks a rule of the contract is left for the operation to refuse.
 */
export function readArguments(given: Arguments, called: CalledOperation, context: ReadingContext): Promise<Arguments> {
  return new Slices({ sliceMs: SLICE_MS }).run(readInSteps(given, called, context))
}

function* readInSteps(
  given: Arguments,
  called: CalledOperation,
  { fields, tenantId }: ReadingContext,
): Yielding<Arguments> {
  const { op, tool, operation } = called
  const known = fields.of(operation)
  const ofOtherOps = Object.values(tool.ops).flatMap((other) => fields.of(other))
  const saysNothing = (name: string, value: unknown) => value === null || (value === '' && takes(ofOtherOps, name))
  const entries = Object.entries(given).filter(([name, value]) => takes(known, name) || !saysNothing(name, value))
  const unknown = entries.map(([name]) => name).filter((name) => !takes(known, name))
  if (unknown.length > 0) throw unknownArguments(op, unknown, listedNames(known, tenantId))
  const reader = new ArgumentReader(operation.readsOthers === true, tenantId !== null)
  const values: Record<string, unknown> = {}
  for (const [name, value] of entries) {
    const field = takes(known, name)!
    // The other name of the row, which a model that fills in all arguments leaves empty.
    if (value === '' && entries.some(([other, one]) => one !== '' && other !== name && takes(known, other) === field))
      continue
    const read = yield* reader.readField(value, field, [name])
    if (read === undefined) continue
    if (Object.hasOwn(values, field.name) && values[field.name] !== read)
      reader.faults.push({ loc: [name], msg: `Differs from ${field.name}: give one of them.`, type: 'value_error' })
    values[field.name] = read
  }
  const faults = [...reader.faults, ...missingOf(known, values)]
  if (faults.length > 0) throw RefusedArguments.of(op, faults)
  return values
}

/** Returns the field that a name is taken for: its own, or the one that REST has. */
function takes(fields: readonly Field[], name: string): Field | undefined {
  return fields.find((field) => field.name === name || (field.in !== 'header' && field.restName === name))
}

/** Returns the names of arguments for a caller: the tenant follows from a key, but not from the admin credential. */
function listedNames(fields: readonly Field[], tenantId: string | null): string[] {
  return fields.map(({ name }) => name).filter((name) => name !== 'tenant_id' || tenantId === null)
}

function unknownArguments(op: string, unknown: readonly string[], expected: readonly string[]): RefusedArguments {
  const named = unknown.slice(0, MOST_NAMED).map((name) => name.slice(0, MOST_OF_NAME))
  const guesses = named.map((name) => didYouMean(name, expected)).filter((name) => name !== null)
  const guess = guesses.length > 0 ? `; did you mean ${[...new Set(guesses)].join(' and ')}?` : '.'
  const errors = named.map((name) => ({
    loc: ['arguments', name],
    msg: 'There is no such argument.',
    type: 'extra_forbidden',
  }))
  const noun = named.length > 1 ? 'arguments' : 'argument'
  const message = `${op} has no ${noun} ${named.slice(0, MOST_IN_MESSAGE).join(', ')}${guess}`
  return new RefusedArguments(message, { op, expected_arguments: expected, errors })
}

/** Returns the faults of what is missing where an operation's path cannot be written without it. */
function missingOf(known: readonly Field[], values: Arguments): ArgumentFault[] {
  const missing = known.filter(({ name, isRequired }) => isRequired && name !== 'tenant_id' && !(name in values))
  if (!missing.some((field) => field.in === 'path')) return []
  return missing.map(({ name }) => ({ loc: [name], msg: 'This field is required.', type: 'missing' }))
}

/** Reads the values of one call, and keeps what is wrong with them. */
class ArgumentReader {
  readonly faults: ArgumentFault[] = []

  constructor(
    private readonly readsOthers: boolean,
    private readonly hasTenant: boolean,
  ) {}

  /** Returns the value of a field; undefined for one that was left out. */
  *readField(value: unknown, field: Field, loc: readonly string[]): Yielding<unknown> {
    if (this.#isAbsent(value, field)) return undefined
    if (field.in !== 'body' && typeof value === 'string' && /\p{Surrogate}/u.test(value)) {
      this.faults.push({ loc, msg: 'Has half of a surrogate pair, which is no character.', type: 'string_unicode' })
      return undefined
    }
    const read = yield* this.#readValue(value, field.schema, loc)
    if (field.in === 'tool' && !(Number.isInteger(read) && (read as number) >= 0))
      this.faults.push({ loc, msg: 'Must be a whole number.', type: 'int_type' })
    // The text "null" names whose rows are read, or is a program's mistake: without it the call would read more than was meant.
    if (read === null && value !== null && this.#saysWhose(field.name)) return [value]
    return this.#isAbsent(read, field) ? undefined : read
  }

  #saysWhose(name: string): boolean {
    return this.readsOthers && WHOSE.includes(name)
  }

  #isAbsent(value: unknown, { name, in: location, isRequired, isNullable, schema }: Field): boolean {
    if (value === null) return location !== 'body' || !isNullable
    if (value !== '') return false
    if (name === 'tenant_id') return this.hasTenant
    // An empty name of an agent or a fleet may be the caller's mistake: without it, the call would read more than was meant.
    if (isRequired || this.#saysWhose(name)) return false
    return location === 'header' || refusesEmpty(schema)
  }

  *#readValue(given: unknown, schema: Schema, loc: readonly string[]): Yielding<unknown> {
    // A parameter that holds JSON, as a list's filter does, may come as the object itself.
    if (schema.contentMediaType === 'application/json' && typeOf(given) === 'object') return JSON.stringify(given)
    const types = typesOf(schema)
    const value = yield* this.#fromText(given, types, loc)
    if (types.includes('array') && !Array.isArray(value) && value !== null)
      return types.includes(typeOf(value)) ? value : yield* this.#readItems([value], schema, loc)
    if (Array.isArray(value)) return yield* this.#readItems(value, schema, loc)
    return typeOf(value) === 'object' ? yield* this.#readObject(value as Arguments, schema, loc) : value
  }

  /** Reads a string as JSON where something else is wanted and the JSON is that. */
  *#fromText(value: unknown, types: readonly string[], loc: readonly string[]): Yielding<unknown> {
    if (typeof value !== 'string' || types.length === 0 || types.includes('string')) return value
    const read = yield* readJsonText(value)
    if ('isText' in read) return value
    if ('faults' in read) {
      this.faults.push(...read.faults.map((fault) => ({ ...fault, loc: [...loc, ...fault.loc] })))
      return value
    }
    const type = typeOf(read.value)
    const isLone = types.includes('array') && type === 'object'
    return type === 'null' || isLone || isOf(types, read.value) ? read.value : value
  }

  *#readItems(values: readonly unknown[], schema: Schema, loc: readonly string[]): Yielding<unknown> {
    const { items, maxItems = Infinity } = schema
    // Each text costs a reading: those of a list that the operation refuses for its length are not worth it.
    if (items === undefined || values.length > Number(maxItems)) return values
    const read: unknown[] = []
    for (const [i, value] of values.entries()) {
      yield
      read.push(yield* this.#readValue(value, items as Schema, [...loc, String(i)]))
    }
    return read
  }

  *#readObject(object: Arguments, schema: Schema, loc: readonly string[]): Yielding<unknown> {
    const fields = fieldsOfObject(schema)
    const values: [string, unknown][] = []
    for (const [name, value] of Object.entries(object)) {
      const field = fields.find((one) => one.name === name)
      const read = field ? yield* this.readField(value, field, [...loc, name]) : value
      if (read !== undefined) values.push([name, read])
    }
    return Object.fromEntries(values)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function isOf(types: readonly string[], value: unknown): boolean {
  return types.includes(typeOf(value)) || (typeof value === 'number' && types.includes('integer'))
}

/** Returns true for a schema that an empty string breaks. */
function refusesEmpty(schema: Schema): boolean {
  const { anyOf, oneOf, allOf, enum: choices, minLength, pattern, format } = schema
  const either = (anyOf ?? oneOf) as Schema[] | undefined
  if (schema.type === undefined && either) return either.every(refusesEmpty)
  if (schema.type === undefined && allOf) return (allOf as Schema[]).some(refusesEmpty)
  const types = typesOf(schema)
  if (types.length > 0 && !types.includes('string')) return true
  if (choices !== undefined) return !(choices as unknown[]).includes('')
  if (format !== undefined || Number(minLength ?? 0) > 0) return true
  return pattern !== undefined && !new RegExp(pattern as string, 'u').test('')
}
