/** A computation that can be interrupted: a generator that yields nothing between steps and returns the result. */
export type Pausing<T> = Generator<void, T, undefined>

/** Runs the computation to its end in one go. */
export function withoutPauses<T>(work: Pausing<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Runs the computation and calls `turn` at each yield; awaits its promise when it returns one. */
export async function inTurns<T>(work: Pausing<T>, turn: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const others = turn()
    if (others) await others
  }
}
