import { setImmediate } from 'node:timers/promises'
import type { Yielding } from '../domain/yielding.js'

export type { Yielding }

/**
 * Milliseconds of work between two yields: long enough to cost nothing, short enough that other requests hardly wait.
 */
const SLICE_MS = 10
/** Milliseconds of work after which a yield leaves one more turn of the event loop to others. */
const STEP_MS = 5
/** Milliseconds of a turn in which nobody else had work to do. */
const EMPTY_TURN_MS = 0.2

interface SlicesOptions {
  readonly sliceMs?: number
  /** Turns of the event loop that one yield leaves to others at most. Default 1: work that holds locks must not wait for longer. */
  readonly mostTurns?: number
  /** The request's signal. */
  readonly signal?: AbortSignal | undefined
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Runs work in slices of some milliseconds, so that one caller's long texts do not delay everybody's requests. Several works in a row share
 * their slices. With `mostTurns` short work goes before long work: the longer the work has taken, the more turns of the event loop it leaves
 * to others, as long as they use them.
 */
export class Slices {
  readonly #sliceMs: number
  readonly #mostTurns: number
  readonly #signal: AbortSignal | undefined
  readonly #now: () => number
  #since: number
  #workedMs = 0

  constructor({ sliceMs = SLICE_MS, mostTurns = 1, signal, now = () => performance.now() }: SlicesOptions = {}) {
    this.#sliceMs = sliceMs
    this.#mostTurns = mostTurns
    this.#signal = signal
    this.#now = now
    this.#since = now()
  }

  /**
   * Runs work to its end. Yields to the event loop between two steps once about `sliceMs` of work have passed since the last yield. Throws the
   * reason of an aborted signal: work that nobody waits for any more must not keep its request's permit.
   */
  async run<T>(work: Yielding<T>): Promise<T> {
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      this.#signal?.throwIfAborted()
      const workedMs = this.#now() - this.#since
      if (workedMs >= this.#sliceMs) await this.#leaveTurns(workedMs)
    }
  }

  /** Leaves turns of the event loop to others, until one in which they have nothing to do. */
  async #leaveTurns(sliceMs: number): Promise<void> {
    this.#workedMs += sliceMs
    const turns = Math.min(this.#mostTurns, 1 + Math.floor(this.#workedMs / STEP_MS))
    let at = this.#now()
    for (let left = turns; left > 0; left--) {
      const before = at
      await setImmediate()
      at = this.#now()
      if (at - before < EMPTY_TURN_MS) break
    }
    this.#since = at
  }
}
