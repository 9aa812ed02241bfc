import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')

export interface LengthRange {
  readonly min: number
  readonly max: number
}

/**
 * Creates an Ajv with the contract's formats and keywords. `x-trimmed-length {min, max}` counts code points after trimming,
 * `x-max-bytes` counts the UTF-8 bytes of the value as JSON; `x-pattern-message` describes a `pattern` in words. The formats are stricter
 * than those of ajv-formats, whose `uuid` accepts `urn:uuid:` and whose `date-time` accepts leap seconds and the year 0: PostgreSQL and
 * `Date` do not.
 */
export function createAjv(options: { readonly allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, useDefaults: true, verbose: true, ...options })
  addFormats.default(ajv)
  ajv.addFormat('uuid', UUID)
  ajv.addFormat('date-time', { type: 'string', validate: isInstant })
  ajv.addKeyword({
    keyword: 'x-trimmed-length',
    type: 'string',
    schemaType: 'object',
    compile: (range: LengthRange, _: AnySchemaObject) => (text: string) => lengthFault(text, range) === null,
  })
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    schemaType: 'number',
    compile: (max: number) => (value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= max,
  })
  return ajv
}

/** Accepts a date and time with an offset or `Z`, on a day that exists, in the years 1 to 9999 UTC. */
function isInstant(text: string): boolean {
  if (!DATE_TIME.test(text)) return false
  const instant = Date.parse(text)
  if (!(instant >= FIRST_INSTANT && instant <= LAST_INSTANT)) return false
  // Date.parse rolls 30 February over into March.
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number]
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

/** Returns which bound the trimmed text violates; null for none. Counts code points only where the count of UTF-16 units does not decide. */
export function lengthFault(text: string, { min, max }: LengthRange): 'short' | 'long' | null {
  const trimmed = text.trim()
  if (trimmed.length > 2 * max) return 'long'
  if (trimmed.length >= 2 * min && trimmed.length <= max) return null
  let points = 0
  for (const _ of trimmed) points++
  if (points < min) return 'short'
  return points > max ? 'long' : null
}
