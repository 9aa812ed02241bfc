import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import { parseInstant } from '../../domain/instant.js'
import { languageOfTag } from '../../domain/text/language-tag.js'
import { namedZone } from '../../domain/text/time-zone.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export interface LengthRange {
  readonly min: number
  readonly max: number
}

/**
 * Creates an Ajv with the contract's formats and keywords. `x-trimmed-length {min, max}` counts code points after trimming,
 * `x-max-bytes` counts the UTF-8 bytes of the value as JSON; `x-pattern-message` describes a `pattern` in words. `x-nfc`
 * brings a text to NFC before its length and pattern are checked. The formats are stricter
 * than those of ajv-formats, whose `uuid` accepts `urn:uuid:` and whose `date-time` accepts leap seconds and the year 0: PostgreSQL and
 * `Date` do not.
 */
export function createAjv(options: { readonly allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, useDefaults: true, verbose: true, ...options })
  addFormats.default(ajv)
  ajv.addFormat('uuid', UUID)
  ajv.addFormat('language', { type: 'string', validate: (tag: string) => languageOfTag(tag) !== null })
  ajv.addFormat('time-zone', { type: 'string', validate: (name: string) => namedZone(name) !== null })
  ajv.addFormat('date-time', { type: 'string', validate: (text: string) => parseInstant(text) !== null })
  ajv.addKeyword({
    keyword: 'x-nfc',
    type: 'string',
    schemaType: 'boolean',
    before: 'maxLength',
    modifying: true,
    compile: () => normaliseInPlace,
  })
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

/**
 * UTF-16 units that a text of 200 characters in NFC never exceeds in any canonically equivalent form, since a character decomposes into four at most.
 * Longer texts stay as they are and are refused for their length: normalising 100,000 combining marks takes seconds.
 */
const LONGEST_NORMALISED = 1_600

function normaliseInPlace(text: string, context?: DataValidationCxt): boolean {
  if (context && text.length <= LONGEST_NORMALISED)
    (context.parentData as Record<string | number, unknown>)[context.parentDataProperty] = text.normalize('NFC')
  return true
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
