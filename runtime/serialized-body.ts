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
