/** A range of a folded text, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Sentences longer than this are cut into parts that overlap, so that the work for each match is bounded. */
const LONGEST = 500
const OVERLAP = 200

export function chunksOf({ start, end }: Span): Span[] {
  const parts: Span[] = []
  for (let from = start; from < end; from += LONGEST - OVERLAP) {
    parts.push({ start: from, end: Math.min(end, from + LONGEST) })
    if (from + LONGEST >= end) break
  }
  return parts
}
