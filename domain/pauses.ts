/** Work that stops now and then, where others may be served: a generator whose `yield`s say nothing and whose return is the result. */
export type Pausing<T> = Generator<void, T, undefined>

export function withoutPauses<T>(work: Pausing<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Calls `turn` at each pause, and waits for what it gives. */
export async function inTurns<T>(work: Pausing<T>, turn: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const others = turn()
    if (others) await others
  }
}
