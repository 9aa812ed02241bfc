/** A computation that can be interrupted: a generator that yields nothing between steps and returns the result. */
export type Yielding<T> = Generator<void, T, undefined>

/** Runs the computation to its end in one go. */
export function runToEnd<T>(work: Yielding<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Runs the computation and calls `yieldIfDue` at each yield; awaits its promise when it returns one. */
export async function runYielding<T>(work: Yielding<T>, yieldIfDue: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const pending = yieldIfDue()
    if (pending) await pending
  }
}
