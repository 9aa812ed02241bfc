import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { Yielding } from '../../domain/yielding.js'
import { HttpError, type FieldError, InvalidRequestError } from '../errors.js'
import { Slices } from '../../runtime/slices.js'
import { fieldErrorsOf } from './field-errors.js'
import { type FieldRule, type FieldRules, type JsonScan, JsonScanner, type ScannedValue } from './json-scanner.js'
import { dropAbsentNulls, nullPlanOf } from './null-plan.js'
import type { ItemsCheckedAlone } from './routes.js'
import { MAX_ITEM_FAULTS } from './scan-unit.js'
import { placeOf } from './text-place.js'
import type { Schema } from '../../contract/openapi-types.js'

/** A schema compiled twice: once to stop at the first fault, and once to find all of them. */
export interface SchemaChecks {
  readonly first: ValidateFunction
  /** Compiles the check on its first call. */
  readonly all: () => ValidateFunction
}

interface BodyReaderOptions {
  /** The body's schema, with its references resolved. */
  readonly schema: Schema
  /** Checks of `{requestBody}`. */
  readonly checks: SchemaChecks
  /** True where null of an optional field has a meaning, as in PATCH; elsewhere it is the same as absent. */
  readonly keepsNulls: boolean
  /** Most bytes of the body without its items. */
  readonly mostBytes: number
  readonly items: (ItemsCheckedAlone & { readonly itemSchema: Schema; readonly itemChecks: SchemaChecks }) | null
}

/** A request's body after it was checked against the contract. */
export interface CheckedBody {
  /** The body with its defaults. A refused item is replaced by a placeholder that differs for different items. */
  readonly value: unknown
  /** Faults of the items that are checked one by one, by index; empty for a valid item. */
  readonly itemFaults: readonly (readonly FieldError[])[]
}

/** Milliseconds of work between yields to the event loop, one item's parsing excepted: a recall yields some ten times. */
const SLICE_MS = 2
/** Sizes beyond which only the first fault is reported: finding all faults of a hostile body would take seconds. */
const ALL_FAULTS_MAX_BYTES = 65_536
const ALL_FAULTS_MAX_VALUES = 1_000
/** Bytes up to which a plain value may be shown in a refusal. */
const MAX_SHOWN_BYTES = 1_024

/** Parses and checks the bodies of one operation, and yields to the event loop between items. */
export class BodyReader {
  readonly #rules
  readonly #nulls
  readonly #itemNulls

  constructor(private readonly options: BodyReaderOptions) {
    const { schema, items, keepsNulls, mostBytes } = options
    this.#nulls = nullPlanOf(schema, keepsNulls)
    this.#itemNulls = items && nullPlanOf(items.itemSchema, keepsNulls)
    const list = items && {
      name: items.field,
      most: Number(propertiesOf(schema).get(items.field)!.maxItems),
      fields: fieldRulesOf(items.itemSchema),
    }
    this.#rules = { fields: fieldRulesOf(schema), list, mostBytes }
  }

  /**
   * Reads a body. Refuses bodies that are too large, too deep or have too many values before parsing them. Throws HttpError 400 for
   * anything but JSON in UTF-8, InvalidRequestError with the faults of the body as a whole, and the signal's reason once it is aborted.
   */
  read(bytes: Buffer, signal?: AbortSignal): Promise<CheckedBody> {
    return new Slices({ sliceMs: SLICE_MS, signal }).run(this.readInSteps(bytes))
  }

  *readInSteps(bytes: Buffer): Yielding<CheckedBody> {
    if (!isUtf8(bytes)) throw new HttpError(400, 'The body is not valid UTF-8.')
    const scanner = new JsonScanner(bytes, this.#rules)
    const scan = yield* scanner.scan()
    if (!scan) {
      const place = yield* placeOf(bytes, scanner.position)
      throw new HttpError(400, `The body is not valid JSON: ${place}.`)
    }
    if (scan.body.faults.length > 0) throw new InvalidRequestError(scan.body.faults)
    const value = this.#readWhole(bytes, scan)
    if (!this.options.items || !scan.list) return { value, itemFaults: [] }
    const { values, faults } = yield* this.#readItems(bytes, scan.list.items)
    const body = value as Record<string, unknown>
    body[this.options.items.field] = values
    return { value: body, itemFaults: faults }
  }

  /** Parses and checks the body and fills its defaults in; of the list's items it checks only that they are objects, and how many. */
  #readWhole(bytes: Buffer, { body, list }: JsonScan): unknown {
    const { checks } = this.options
    const request = { requestBody: parseWhole(bytes, { body, list }) }
    dropAbsentNulls(request.requestBody, this.#nulls)
    if (list)
      (request.requestBody as Record<string, unknown>)[this.#rules.list!.name] = list.items.map(placeholderOf(bytes))
    if (checks.first(request)) return request.requestBody
    const failed =
      reportsAllFaults(body) && (list?.items.length ?? 0) <= ALL_FAULTS_MAX_VALUES ? checks.all() : checks.first
    failed(request)
    throw new InvalidRequestError(fieldErrorsOf(failed.errors as ErrorObject[]))
  }

  *#readItems(
    bytes: Buffer,
    items: readonly ScannedValue[],
  ): Yielding<{ values: unknown[]; faults: (readonly FieldError[])[] }> {
    const { field, beside } = this.options.items!
    const values: unknown[] = []
    const faults: (readonly FieldError[])[] = []
    const misplaced: FieldError[] = []
    for (const [index, item] of items.entries()) {
      yield
      const loc = ['body', field, String(index)]
      const value = item.faults.length === 0 ? parse(bytes, item.start, item.end) : null
      dropAbsentNulls(value, this.#itemNulls)
      for (const name of beside)
        if (value && Object.hasOwn(value, name) && misplaced.length < MAX_MISPLACED)
          misplaced.push(misplacedAt(loc, name))
      const found = value ? this.#checkItem(value, item, loc) : item.faults
      faults.push(found)
      values.push(found.length === 0 ? value : new RefusedItem(bytes.subarray(item.start, item.end)))
    }
    if (misplaced.length > 0) throw new InvalidRequestError(misplaced)
    return { values, faults }
  }

  /** Returns an item's faults; fills the defaults of a valid item in. */
  #checkItem(value: object, item: ScannedValue, loc: readonly string[]): readonly FieldError[] {
    const { itemChecks } = this.options.items!
    if (itemChecks.first(value)) return []
    const failed = reportsAllFaults(item) ? itemChecks.all() : itemChecks.first
    failed(value)
    return fieldErrorsOf(failed.errors!, loc, MAX_ITEM_FAULTS)
  }
}

const MAX_MISPLACED = 100

function misplacedAt(loc: readonly string[], name: string): FieldError {
  const msg = `Is not allowed in an item. Give ${name} once for all items, beside ${loc[1]}.`
  return { loc: [...loc, name], msg, type: 'extra_forbidden' }
}

/** Placeholder for a refused item. Its JSON is the digest of the item's bytes, so that different bodies stay different. */
class RefusedItem {
  constructor(private readonly bytes: Buffer) {}

  toJSON(): object {
    return { refused: createHash('sha256').update(this.bytes).digest('hex') }
  }
}

function reportsAllFaults({ start, end, values }: ScannedValue): boolean {
  return end - start <= ALL_FAULTS_MAX_BYTES && values <= ALL_FAULTS_MAX_VALUES
}

function parse(bytes: Buffer, start: number, end: number): object {
  return JSON.parse(bytes.toString('utf8', start, end)) as object
}

/** Parses the body with an empty list in place of the list's items; an empty body is read as `{}` and refused for its missing fields. */
function parseWhole(bytes: Buffer, { body, list }: JsonScan): unknown {
  if (body.start < 0) return {}
  if (!list) return parse(bytes, body.start, body.end)
  return JSON.parse(`${bytes.toString('utf8', body.start, list.start)}[]${bytes.toString('utf8', list.end, body.end)}`)
}

/** Returns a function from an item to its placeholder in the check of the whole body: `{}` for an object, otherwise a small value itself or `[]`. */
function placeholderOf(bytes: Buffer) {
  return ({ start, end }: ScannedValue): unknown => {
    if (bytes[start] === 0x7b) return {}
    return end - start <= MAX_SHOWN_BYTES ? parse(bytes, start, end) : []
  }
}

function propertiesOf(schema: Schema): Map<string, Schema> {
  const parts = [schema, ...((schema.allOf as Schema[] | undefined) ?? [])]
  return new Map(
    parts.flatMap(({ properties }) => Object.entries((properties as Record<string, Schema> | undefined) ?? {})),
  )
}

function fieldRulesOf(schema: Schema): FieldRules {
  const rules = [...propertiesOf(schema)].map(([name, property]): [string, FieldRule] => [
    name,
    {
      maxBytes: (property['x-max-bytes'] as number | undefined) ?? null,
      exactNumbers: property['x-exact-numbers'] === true,
    },
  ])
  return new Map(rules.filter(([, { maxBytes, exactNumbers }]) => maxBytes !== null || exactNumbers))
}
