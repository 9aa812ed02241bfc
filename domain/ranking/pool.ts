import type { Candidate } from './candidate.js'

interface PoolNeighbour {
  /** Position in the run relative to the memory: -2, -1, 1 or 2. */
  readonly offset: number
  readonly position: number
}

/**
 * All candidates of one query. Evidence for a memory is also looked for in its neighbours. Evidence is stored by
 * position.
 */
export interface Pool {
  readonly candidates: readonly Candidate[]
  /** Neighbours of each candidate that are in the pool. */
  readonly neighbourPositions: readonly (readonly PoolNeighbour[])[]
}

export function poolOf(candidates: readonly Candidate[]): Pool {
  const positions = new Map(candidates.map(({ id }, position) => [id, position]))
  const neighbourPositions = candidates.map(({ neighbours }) => {
    const found: PoolNeighbour[] = []
    for (const [offset, id] of neighbours) {
      const position = positions.get(id)
      if (position !== undefined) found.push({ offset, position })
    }
    return found
  })
  return { candidates, neighbourPositions }
}
