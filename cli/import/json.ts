/** An object that was parsed from JSON: its keys come from anyone, so only its own members are looked at. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a member of an object, and undefined for what it inherits. */
export function member(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

export function textOf(value: JsonObject, key: string): string | null {
  const found = member(value, key)
  return typeof found === 'string' && found !== '' ? found : null
}

export function listOf(value: JsonObject, key: string): readonly unknown[] {
  const found = member(value, key)
  return Array.isArray(found) ? found : []
}
