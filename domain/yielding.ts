/**
 * Work that may be long: a generator that yields nothing between its steps and returns the result. Whoever runs it decides what a yield means:
 * `runToEnd` goes on at once, and the `Slices` of the runtime let others go first now and then.
 */
export type Yielding<T> = Generator<void, T, undefined>

/** Runs work to its end in one go. */
export function runToEnd<T>(work: Yielding<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
