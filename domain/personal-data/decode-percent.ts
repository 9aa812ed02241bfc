const ESCAPES = /(?:%[0-9a-f]{2})+/gi
/** Names that pass through several systems are escaped more than once. */
const MOST_ROUNDS = 3

/** Returns a name with its percent-escapes decoded; escapes that are not UTF-8 stay. */
export function decodePercent(name: string): string {
  let decoded = name
  for (let round = 0; round < MOST_ROUNDS && decoded.includes('%'); round++) decoded = decoded.replace(ESCAPES, decode)
  return decoded
}

function decode(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch {
    return escapes
  }
}
