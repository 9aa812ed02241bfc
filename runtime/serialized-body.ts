const serializedBodies = new WeakMap<object, Buffer>()

/** Stores the JSON of `body`, so that a response that is sent often is serialised once. The body must not change afterwards. */
export function setSerializedBody<T extends object>(body: T, json: Buffer): T {
  serializedBodies.set(body, json)
  return body
}

/** Returns the stored JSON of `body` in UTF-8; undefined when there is none. */
export function serializedBodyOf(body: unknown): Buffer | undefined {
  return typeof body === 'object' && body !== null ? serializedBodies.get(body) : undefined
}
