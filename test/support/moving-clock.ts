import type { Clock } from '../../runtime/clock.js'

/** The time of this machine, and what it was moved on by. */
export interface MovingClock extends Clock {
  advance(ms: number): void
}

export function createMovingClock(): MovingClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}
