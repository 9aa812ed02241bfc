import type { Candidate } from './candidate.js'

/** Positions of a memory's neighbours relative to it in its run: two before, one before, one after and two after. */
export const NEIGHBOUR_OFFSETS = [-2, -1, 1, 2] as const
export type NeighbourOffset = (typeof NEIGHBOUR_OFFSETS)[number]
/** Number of neighbours that a memory may have. */
export const NEIGHBOURS = NEIGHBOUR_OFFSETS.length

/**
 * All candidates of one query. Evidence for a memory is also looked for in its neighbours. Evidence is stored by
 * position.
 */
export interface Pool {
  readonly candidates: readonly Candidate[]
  /** Positions of the neighbours, four for each candidate in the order of `NEIGHBOUR_OFFSETS`; -1 for one that is not in the pool. */
  readonly neighbours: Int32Array
}

export function poolOf(candidates: readonly Candidate[]): Pool {
  const positions = new Map<string, number>()
  candidates.forEach(({ id }, position) => positions.set(id, position))
  const neighbours = new Int32Array(NEIGHBOURS * candidates.length).fill(-1)
  candidates.forEach((candidate, position) => {
    for (let place = 0; place < NEIGHBOURS; place++) {
      const id = candidate.neighbours[place] ?? null
      if (id !== null) neighbours[NEIGHBOURS * position + place] = positions.get(id) ?? -1
    }
  })
  return { candidates, neighbours }
}
