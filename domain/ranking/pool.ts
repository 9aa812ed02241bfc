import type { Candidate } from './candidate.js'

/** Everything that may answer one query, by id: evidence of a memory is also looked for beside it. */
export type Pool = ReadonlyMap<string, Candidate>

/** Those beside the candidate that are in the pool, with their offsets. */
export function beside({ neighbours }: Candidate, pool: Pool): [number, Candidate][] {
  const found: [number, Candidate][] = []
  for (const [offset, id] of neighbours) {
    const other = pool.get(id)
    if (other) found.push([offset, other])
  }
  return found
}
