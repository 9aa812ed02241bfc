import { createYielder } from './yielder.js'

/** Milliseconds for which other requests wait at most, except while one value is serialized. */
const SLICE_MS = 2

/**
 * Returns the JSON of a list with what `toJson` makes of each value, yielding to the event loop between values: the
 * list may be 16 MB.
 */
export async function jsonListYielding<T>(
  values: readonly T[],
  toJson: (value: T) => object,
  signal?: AbortSignal,
): Promise<string> {
  const yieldIfDue = createYielder({ sliceMs: SLICE_MS, ...(signal && { signal }) })
  const parts: string[] = []
  for (const value of values) {
    parts.push(JSON.stringify(toJson(value)))
    const yielded = yieldIfDue()
    if (yielded) await yielded
  }
  return `[${parts.join(',')}]`
}
