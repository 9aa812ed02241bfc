import type { Candidate } from './candidate.js'

export interface Beside {
  /** Places in the run: -2, -1, 1 or 2. */
  readonly offset: number
  readonly position: number
}

/** Everything that may answer one query: evidence of a memory is also looked for beside it. Evidence goes by position. */
export interface Pool {
  readonly candidates: readonly Candidate[]
  /** Of each, those beside it that are in the pool. */
  readonly beside: readonly (readonly Beside[])[]
}

export function poolOf(candidates: readonly Candidate[]): Pool {
  const positions = new Map(candidates.map(({ id }, position) => [id, position]))
  const beside = candidates.map(({ neighbours }) => {
    const found: Beside[] = []
    for (const [offset, id] of neighbours) {
      const position = positions.get(id)
      if (position !== undefined) found.push({ offset, position })
    }
    return found
  })
  return { candidates, beside }
}
