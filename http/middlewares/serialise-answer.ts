import { jsonListYielding } from '../../runtime/json-yielding.js'
import { serializedBodyOf, setSerializedBody } from '../../runtime/serialized-body.js'
import type { CallStep } from './middleware.js'

/** Items of a list that are serialised one by one. A shorter list is small, as are its items. */
const MANY_ITEMS = 20

/**
 * Serialises an answer that has a long list, item by item, so that other requests go first in between: a hundred explained memories are
 * 650 KB, which would otherwise hold the thread for some 5 ms.
 */
export const serialiseAnswer: CallStep = async ({ answer: { body }, signal }) => {
  if (!hasLongList(body) || serializedBodyOf(body)) return
  const members: string[] = []
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    const text = Array.isArray(value)
      ? await jsonListYielding(value as readonly object[], (item) => item, signal)
      : JSON.stringify(value)
    members.push(`${JSON.stringify(name)}:${text}`)
  }
  setSerializedBody(body, Buffer.from(`{${members.join(',')}}`))
}

function hasLongList(body: unknown): body is Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  return Object.values(body).some((value) => Array.isArray(value) && value.length >= MANY_ITEMS)
}
