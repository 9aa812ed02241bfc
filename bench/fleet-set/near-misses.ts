import type { Random } from '../random.js'

/** Returns `ledger-core` as the middle of a constant's name. */
export function upperName(service: string): string {
  return service.toUpperCase().replaceAll('-', '_')
}

const HASH = /^[0-9a-f]{12}$/

/**
 * Returns up to `count` identifiers that could be mistaken for this one: two digits swapped, one digit changed, one
 * digit more. Hashes differ within the eight digits that people quote.
 */
export function nearMisses(id: string, random: Random, count: number): string[] {
  const digits = [...id.matchAll(/[0-9a-f]/g)].map(({ index }) => index)
  const at = HASH.test(id) ? digits.slice(4, 8) : digits.slice(-4)
  const made = new Set<string>()
  for (let tries = 0; tries < 40 && made.size < count; tries++) {
    const i = random.pick(at)
    const way = random.whole(0, 2)
    if (way === 0 && at.includes(i + 1)) made.add(replaceAt(replaceAt(id, i, id[i + 1]!), i + 1, id[i]!))
    if (way === 1) made.add(replaceAt(id, i, String(random.whole(1, 9))))
    if (way === 2 && !HASH.test(id)) made.add(`${id}${random.whole(0, 9)}`)
    made.delete(id)
  }
  return [...made]
}

function replaceAt(text: string, i: number, by: string): string {
  return text.slice(0, i) + by + text.slice(i + 1)
}
