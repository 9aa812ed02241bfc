import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Schema } from '../../contract/openapi-types.js'
import type { FieldError } from '../errors.js'
import { shownLoc } from './request-text.js'
import { lengthFault, type LengthRange } from './schema-keywords.js'

const MAX_LISTED_ERRORS = 100
const MAX_INPUT_LENGTH = 200

/** First segments of Ajv's paths, and what they are in `loc`. */
const LOCATIONS: Readonly<Record<string, string>> = {
  requestBody: 'body',
  header: 'header',
  query: 'query',
  path: 'path',
}

type Fault = Pick<FieldError, 'msg' | 'type' | 'ctx'>

/** Returns Ajv's errors as the contract's list of field errors: one per field and kind, at most `most`. Paths begin with `prefix`. */
export function fieldErrorsOf(
  errors: readonly ErrorObject[],
  prefix: readonly string[] = [],
  most = MAX_LISTED_ERRORS,
): FieldError[] {
  const choices = errors.filter(isChoice).map((error) => error.schemaPath)
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map((error) => error.instancePath))
  const listed = new Map<string, FieldError>()
  for (const error of errors) {
    // The faults of a choice's branches are reported once, by the choice.
    if (!isChoice(error) && choices.some((path) => error.schemaPath.startsWith(`${path}/`))) continue
    // A value of another type fits none of a choice's branches either, or by chance several.
    if (isChoice(error) && mistyped.has(error.instancePath)) continue
    const entry = fieldErrorOf(error, prefix)
    listed.set(`${entry.loc.join('\0')}\0${entry.type}`, entry)
    if (listed.size >= most) break
  }
  return [...listed.values()]
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === 'oneOf' || keyword === 'anyOf'
}

function fieldErrorOf(error: ErrorObject, prefix: readonly string[]): FieldError {
  const loc = [...prefix, ...pathOf(error, prefix.length === 0)]
  const field = missingOrExtra(error)
  const fault = faultOf(error, loc[0] === 'query')
  if (field !== undefined) return { loc: shownLoc([...loc, field]), ...fault }
  return { loc: shownLoc(loc), ...fault, ...inputOf(error.data) }
}

function pathOf({ instancePath }: ErrorObject, fromRoot: boolean): string[] {
  const segments = instancePath.split('/').slice(1)
  const names = segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (fromRoot) names[0] = LOCATIONS[names[0] ?? ''] ?? 'body'
  return names
}

function missingOrExtra({ keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'required') return String(params.missingProperty)
  if (keyword === 'additionalProperties') return String(params.additionalProperty)
  return keyword === 'unevaluatedProperties' ? String(params.unevaluatedProperty) : undefined
}

/** Returns the refused value for the error if it is plain and small; longer text may be a caller's and is left out. */
function inputOf(value: unknown): { input?: unknown } {
  if (typeof value === 'string')
    return [...value.slice(0, MAX_INPUT_LENGTH + 1)].length > MAX_INPUT_LENGTH ? {} : { input: value }
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? { input: value } : {}
}

function faultOf(error: ErrorObject, inQuery: boolean): Fault {
  const msg = emptyMessageOf(error)
  return msg === undefined ? ownFaultOf(error, inQuery) : { ...ownFaultOf(error, inQuery), msg }
}

/** Returns what the contract says (`x-empty-message`) of a value that is missing, or that holds too little to mean anything. */
function emptyMessageOf({ keyword, params, parentSchema, data }: ErrorObject): string | undefined {
  const properties = parentSchema?.properties as Readonly<Record<string, Schema>> | undefined
  const schema = keyword === 'required' ? properties?.[params.missingProperty as string] : parentSchema
  const isEmpty =
    ['required', 'minLength', 'pattern'].includes(keyword) || (keyword === 'x-trimmed-length' && !String(data).trim())
  return isEmpty ? (schema?.['x-empty-message'] as string | undefined) : undefined
}

function ownFaultOf(error: ErrorObject, inQuery: boolean): Fault {
  const { keyword, params, schema } = error
  const limit = Number(params.limit)
  switch (keyword) {
    case 'required':
      return { type: 'missing', msg: 'This field is required.' }
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { type: 'extra_forbidden', msg: inQuery ? 'There is no such query parameter.' : 'There is no such field.' }
    case 'type':
      return typeFault(schema, inQuery)
    case 'enum':
      return { type: 'enum', msg: `Must be one of ${listed(schema)}.`, ctx: { expected: schema } }
    case 'const':
      return { type: 'literal_error', msg: `Must be ${String(schema)}.`, ctx: { expected: schema } }
    case 'minLength':
      return trimmedRangeOf(error) ? trimmedFault(error) : tooShort(limit)
    case 'maxLength':
      return tooLong(limit)
    case 'x-trimmed-length':
      return trimmedFault(error)
    case 'x-max-bytes':
      return { type: 'too_large', msg: `May have at most ${Number(schema)} bytes as JSON.`, ctx: { max_bytes: schema } }
    case 'pattern':
      return trimmedRangeOf(error) ? trimmedFault(error) : patternFault(error)
    case 'format':
      return formatFault(String(schema))
    default:
      return amountFault(keyword, limit, error)
  }
}

function amountFault(keyword: string, limit: number, error: ErrorObject): Fault {
  switch (keyword) {
    case 'minimum':
      return { type: 'greater_than_equal', msg: `Must be at least ${limit}.`, ctx: { ge: limit } }
    case 'exclusiveMinimum':
      return { type: 'greater_than', msg: `Must be greater than ${limit}.`, ctx: { gt: limit } }
    case 'maximum':
      return { type: 'less_than_equal', msg: `Must be at most ${limit}.`, ctx: { le: limit } }
    case 'exclusiveMaximum':
      return { type: 'less_than', msg: `Must be less than ${limit}.`, ctx: { lt: limit } }
    case 'minItems':
    case 'minProperties':
      return { type: 'too_short', msg: `Needs at least ${counted(keyword, limit)}.`, ctx: { min_length: limit } }
    case 'maxItems':
    case 'maxProperties':
      return { type: 'too_long', msg: `May have at most ${counted(keyword, limit)}.`, ctx: { max_length: limit } }
    case 'oneOf':
    case 'anyOf':
      return choiceFault(error.schema)
    default:
      return { type: 'value_error', msg: `The value ${error.message ?? 'is not valid'}.` }
  }
}

function counted(keyword: string, count: number): string {
  const noun = keyword.endsWith('Items') ? 'item' : 'field'
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function tooShort(limit: number): Fault {
  const msg = `Must have at least ${limit} character${limit === 1 ? '' : 's'}.`
  return { type: 'string_too_short', msg, ctx: { min_length: limit } }
}

function tooLong(limit: number): Fault {
  return { type: 'string_too_long', msg: `May have at most ${limit} characters.`, ctx: { max_length: limit } }
}

/** Returns the bounds on a trimmed text; `minLength` and `pattern` beside them repeat them for readers of the contract. */
function trimmedRangeOf({ parentSchema }: ErrorObject): LengthRange | undefined {
  return parentSchema?.['x-trimmed-length'] as LengthRange | undefined
}

function trimmedFault(error: ErrorObject): Fault {
  const range = trimmedRangeOf(error)!
  return lengthFault(String(error.data), range) === 'long' ? tooLong(range.max) : tooShort(range.min)
}

function patternFault({ schema, parentSchema }: ErrorObject): Fault {
  const message = parentSchema?.['x-pattern-message'] as string | undefined
  return {
    type: 'string_pattern_mismatch',
    msg: message ?? `Must match ${String(schema)}`,
    ctx: { pattern: schema },
  }
}

function choiceFault(schema: unknown): Fault {
  const required = (schema as { required?: string[] }[]).flatMap((branch) => branch.required ?? [])
  const msg =
    required.length > 0 ? `Needs exactly one of ${required.join(', ')}.` : 'Matches none of the allowed schemas.'
  return { type: 'value_error', msg }
}

const TYPE_NAMES: Readonly<Record<string, readonly [type: string, name: string]>> = {
  string: ['string_type', 'a string'],
  integer: ['int_type', 'a whole number'],
  number: ['float_type', 'a number'],
  boolean: ['bool_type', 'true or false'],
  array: ['list_type', 'a list'],
  object: ['dict_type', 'an object'],
  null: ['none_required', 'null'],
}

function typeFault(schema: unknown, inQuery: boolean): Fault {
  const types = (Array.isArray(schema) ? schema : [schema]).map(String)
  const named = types.map((type) => TYPE_NAMES[type] ?? ['type_error', type])
  const type = named[0]?.[0] ?? 'type_error'
  // A query parameter is text that could not be parsed as its type.
  return {
    type: inQuery ? type.replace('_type', '_parsing') : type,
    msg: `Must be ${named.map(([, name]) => name).join(' or ')}.`,
  }
}

function formatFault(format: string): Fault {
  if (format === 'uuid') return { type: 'uuid_parsing', msg: 'Must be a UUID.' }
  if (format === 'time-zone')
    return { type: 'time_zone', msg: 'Must be the name of a time zone, such as Asia/Tokyo or Europe/Berlin.' }
  if (format === 'language') return { type: 'language', msg: 'Must be the code of a language, such as en or pt-BR.' }
  const msg = 'Must be a date and time with an offset or Z, such as 2026-01-31T12:00Z or 2026-01-31T12:00:00+01:00.'
  if (format === 'date-time') return { type: 'datetime_parsing', msg }
  return { type: 'format_error', msg: `Must be a ${format}.` }
}

function listed(values: unknown): string {
  return (values as unknown[]).map(String).join(', ')
}
