import type { Reading } from '../text/reading.js'

const assignments = new WeakMap<Reading, ReadonlyMap<string, string>>()
const ASSIGNED = /^(?:export\s+)?\$?([A-Za-z_]\w{0,40})=(.{1,200})$/

/**
 * Returns a word with the variables that the same text assigns (`a=cu; b=rl; $a$b` is `curl`) or gives a value (`${SHELL:-sh}`). One
 * round, so it cannot grow for long.
 */
export function expand(reading: Reading, text: string): string {
  if (!text.includes('$') || text.length > 200) return text
  const known = assignmentsOf(reading)
  return text
    .replace(
      /\$(?:\{([A-Za-z_]\w{0,40})(?::?(?:[-=]([^{}]{0,40})|[?+][^{}]{0,40}))?\}|([A-Za-z_]\w{0,40}))/g,
      (whole, braced?: string, fallback?: string, bare?: string) =>
        known.get(braced ?? bare ?? '') ?? fallback ?? ((braced ?? bare) === 'SHELL' ? 'sh' : whole),
    )
    .slice(0, 400)
}

function assignmentsOf(reading: Reading): ReadonlyMap<string, string> {
  let known = assignments.get(reading)
  if (!known) {
    const found = new Map<string, string>()
    for (const { commands } of reading.pipelines)
      for (const { words } of commands)
        for (const word of words) {
          const assigned = ASSIGNED.exec(word.text)
          if (assigned) found.set(assigned[1]!, assigned[2]!)
        }
    known = found
    assignments.set(reading, known)
  }
  return known
}
