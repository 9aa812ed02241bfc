const kept = new WeakMap<object, Buffer>()

/** Remembers what `body` is as JSON, for answers that are sent again and again. The body must not change any more. */
export function keepJson<T extends object>(body: T, json: Buffer): T {
  kept.set(body, json)
  return body
}

/** The UTF-8 of a body whose JSON is remembered. */
export function keptJson(body: unknown): Buffer | undefined {
  return typeof body === 'object' && body !== null ? kept.get(body) : undefined
}
