/**
 * Counts the requests at work, also those whose caller no longer waits: a process that closes lets them end, because they hold permits and
 * connections.
 */
export class RunningRequests {
  #count = 0
  #isClosing = false
  #waiting: (() => void)[] = []

  /** Counts one more request. Returns what is called when it has ended. */
  readonly add = (): (() => void) => {
    this.#count++
    return () => {
      if (--this.#count > 0) return
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Makes every later response close its connection. */
  readonly close = (): void => void (this.#isClosing = true)

  readonly isClosing = (): boolean => this.#isClosing

  /** Resolves as soon as none is at work. */
  async whenNone(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
