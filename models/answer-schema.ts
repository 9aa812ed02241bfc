import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** The form of a language model's answer: a JSON Schema, and a parser of its text. */
export interface AnswerSchema<T> {
  /** A name of up to 64 of A-Z, a-z, 0-9, _ and -. */
  readonly name: string
  readonly schema: object
  /** Returns the value, or what is wrong with the text: paths and rules. */
  read(text: string): { readonly value: T } | { readonly faults: string }
}

const MOST_FAULTS = 10

/**
 * Returns the answer schema for a JSON Schema (2020-12) of an object. Use only what servers support: types, properties,
 * required, additionalProperties: false, items, enum, and bounds; whatever a server ignores is checked here.
 */
export function answerSchema<T>(name: string, schema: object): AnswerSchema<T> {
  let check: ValidateFunction<T> | undefined
  return {
    name,
    schema,
    read(text) {
      const value = parseObject(text)
      if (value === undefined) return { faults: `it is not one JSON object of at most ${LONGEST_OBJECT} characters` }
      check ??= compile<T>(schema)
      if (check(value)) return { value }
      return { faults: check.errors!.slice(0, MOST_FAULTS).map(faultOf).join('; ') }
    },
  }
}

function compile<T>(schema: object): ValidateFunction<T> {
  const ajv = new Ajv2020({ allErrors: true, strict: true })
  addFormats.default(ajv)
  return ajv.compile<T>(schema)
}

function faultOf({ instancePath, message }: ErrorObject): string {
  return `${instancePath || 'the object'} ${message}`
}

/** UTF-16 units. All errors of an object are collected before the first of them are reported: 200,000 take some 0.1 s. */
const LONGEST_OBJECT = 200_000

/**
 * Parses the object. Models often put a code fence, a sentence or their reasoning around it: then the text between the
 * outer braces is parsed.
 */
function parseObject(text: string): object | undefined {
  const afterReasoning = text.slice(text.lastIndexOf(REASONING_END) + 1)
  for (const candidate of [text, betweenBraces(text), betweenBraces(afterReasoning)]) {
    if (candidate.length > LONGEST_OBJECT) continue
    try {
      const value: unknown = JSON.parse(candidate)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    } catch {
      // Try the next candidate.
    }
  }
  return undefined
}

const REASONING_END = '</think>'

function betweenBraces(text: string): string {
  return text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
}
