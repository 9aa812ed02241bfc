/** Phases of a part, in this order. */
export type PartPhase = 'select' | 'reuse' | 'read' | 'hand over' | 'cluster' | 'store' | 'compare'

/** The times of the phases of one part. */
export interface PartTimes {
  /** Does some work of a phase, and adds its time. */
  spend<T>(phase: PartPhase, work: () => Promise<T>): Promise<T>
  /** Returns the milliseconds of each phase so far. */
  inMs(): Partial<Record<PartPhase, number>>
}

/** Creates the times of a part, of which none has passed. */
export function createPartTimes(): PartTimes {
  const spent: Partial<Record<PartPhase, number>> = {}
  return {
    async spend(phase, work) {
      const begin = performance.now()
      try {
        return await work()
      } finally {
        spent[phase] = (spent[phase] ?? 0) + performance.now() - begin
      }
    },
    inMs: () => Object.fromEntries(Object.entries(spent).map(([phase, ms]) => [phase, Math.round(ms)])),
  }
}
