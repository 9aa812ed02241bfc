import type { Clock } from '../runtime/clock.js'

export interface OutageOptions {
  readonly baseMs: number
  readonly maxMs: number
}

/**
 * Tracks the outage of one dependency in this process: how long to wait before the next attempt. After each wait comes
 * a probe: its failure doubles the wait, a success ends the outage.
 */
export class Outage {
  #delayMs = 0
  #until = 0

  constructor(
    private readonly clock: Clock,
    private readonly options: OutageOptions,
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * Returns the wait in ms, `atLeastMs` or more. Failures during a wait belong to the same outage and do not lengthen
   * it, unless they say how long it lasts.
   */
  failed(atLeastMs = 0): number {
    if (this.waitMs() === 0) {
      this.#delayMs = this.isOn
        ? Math.min(this.#delayMs * 2, this.options.maxMs)
        : this.options.baseMs * (0.75 + this.random() / 2)
      this.#until = this.clock.now() + this.#delayMs
    }
    this.#until = Math.max(this.#until, this.clock.now() + atLeastMs)
    return Math.max(1, Math.ceil(this.waitMs()))
  }

  recovered(): void {
    this.#delayMs = 0
    this.#until = 0
  }

  get isOn(): boolean {
    return this.#delayMs > 0
  }

  waitMs(): number {
    return Math.max(0, this.#until - this.clock.now())
  }
}
