import { HttpError, InvalidRequestError } from '../http/errors.js'
import { createMessageReader } from '../http/validation/message-reader.js'
import type { Yielding } from '../runtime/slices.js'
import type { ArgumentFault } from './tool-refusal.js'

/** Where the faults of a text are found: in a message whose only argument it is. */
const BEFORE = '{"params":{"value":'
const AFTER = '}}'
const PLACE_LENGTH = ['body', 'params', 'value'].length

let reader: ReturnType<typeof createMessageReader> | undefined

/** Begins whatever is JSON. */
const JSON_BEGINS = /^\s*[[{"\-\dtfn]/

export type JsonText =
  { readonly value: unknown } | { readonly faults: readonly ArgumentFault[] } | { readonly isText: true }

/**
 * Reads a text as JSON, as clients write numbers, lists and objects. It has what a message may have: `faults` are those of depth, of size and
 * of numbers that JSON cannot keep, with their places in the value. A text that is no JSON is a text.
 */
export function* readJsonText(text: string): Yielding<JsonText> {
  if (!JSON_BEGINS.test(text)) return { isText: true }
  reader ??= createMessageReader()
  try {
    yield* reader.readInSteps(Buffer.from(BEFORE + text + AFTER))
  } catch (error) {
    if (error instanceof InvalidRequestError)
      return { faults: error.errors.map((fault) => ({ ...fault, loc: fault.loc.slice(PLACE_LENGTH) })) }
    if (error instanceof HttpError) return { isText: true }
    throw error
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // A text such as `1, "other": 2` is JSON in its place, and none by itself.
    return { isText: true }
  }
}
