import type { Random } from '../random.js'

/** Smallest and largest value of the slot `{n}`. */
const NUMBERS = [11, 9_999] as const

/** Creates a function that fills slots: `{n}` with a number each time, the others with one value for the whole run. */
export function createFiller(
  slots: Readonly<Record<string, readonly string[]>>,
  random: Random,
): (text: string) => string {
  const chosen = new Map<string, string>()
  return (text) =>
    text.replace(/\{(\w+)\}/g, (_, slot: string) => {
      if (slot === 'n') return String(random.whole(...NUMBERS))
      if (!chosen.has(slot)) chosen.set(slot, random.pick(slots[slot]!))
      return chosen.get(slot)!
    })
}
