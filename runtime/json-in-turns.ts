import { createTurns } from './turns.js'

/** Others wait so long at most, but for one value's own JSON. */
const SLICE_MS = 2

/** Returns the JSON of a list of what `toJson` makes of each value, giving way to other requests between them: it may be 16 MB. */
export async function jsonListInTurns<T>(values: readonly T[], toJson: (value: T) => object): Promise<string> {
  const turn = createTurns({ sliceMs: SLICE_MS })
  const parts: string[] = []
  for (const value of values) {
    parts.push(JSON.stringify(toJson(value)))
    const others = turn()
    if (others) await others
  }
  return `[${parts.join(',')}]`
}
