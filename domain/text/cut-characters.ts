/** Matches the half of a character that a cut between UTF-16 units leaves: neither PostgreSQL's jsonb nor an engine takes it. */
const TRAILING_HALF = /[\ud800-\udbff]$/

/** Returns a text that was cut after so many UTF-16 units without the half of a character at its end. */
export function withoutHalfCharacter(cut: string): string {
  return cut.replace(TRAILING_HALF, '')
}
