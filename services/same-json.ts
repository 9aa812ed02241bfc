import { stringify } from 'safe-stable-stringify'

/** Returns true for two values that are the same JSON. The order of the members of an object does not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return stringify(one ?? null) === stringify(other ?? null)
}
