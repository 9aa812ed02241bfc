import type { Clock } from '../../runtime/clock.js'

/** A clock that shows this machine's time plus what it was moved on by. */
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
