import type { Yielding } from '../domain/yielding.js'
import { Slices } from './slices.js'

interface SerializedBody {
  /** JSON in UTF-8. */
  readonly json: Buffer
  /** JSON compressed with gzip, for a body that is worth it. */
  readonly gzip?: Buffer
}

const serializedBodies = new WeakMap<object, SerializedBody>()

/** Stores the JSON of `body`, so that a response that is sent often is serialised once. The body must not change afterwards. */
export function setSerializedBody<T extends object>(body: T, json: Buffer, gzip?: Buffer): T {
  serializedBodies.set(body, { json, ...(gzip && { gzip }) })
  return body
}

/** Returns the stored JSON of `body`; undefined when there is none. */
export function serializedBodyOf(body: unknown): SerializedBody | undefined {
  return typeof body === 'object' && body !== null ? serializedBodies.get(body) : undefined
}

/** Milliseconds for which other requests wait at most, except while one value is serialized. */
const SLICE_MS = 2

/** Returns the JSON of a list with what `toJson` makes of each value, in slices: the list may be 16 MB. */
export function jsonList<T>(values: readonly T[], toJson: (value: T) => object, signal?: AbortSignal): Promise<string> {
  return new Slices({ sliceMs: SLICE_MS, signal }).run(serializeAll(values, toJson))
}

function* serializeAll<T>(values: readonly T[], toJson: (value: T) => object): Yielding<string> {
  const parts: string[] = []
  for (const value of values) {
    parts.push(JSON.stringify(toJson(value)))
    yield
  }
  return `[${parts.join(',')}]`
}
