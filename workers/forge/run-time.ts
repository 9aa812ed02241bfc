import type { Clock } from '../../runtime/clock.js'

/** Share of a run's time that its parts may take where a language model words what they teach. */
const SHARE_OF_PARTS = 0.8

/** The time of a run's work in all of its turns, without what it waits between them. */
export interface RunTime {
  spentMs(): number
  /** Milliseconds that are left; none or fewer when the time is used up. */
  leftMs(): number
  /** Milliseconds that are left to parts. */
  leftForPartsMs(): number
  /** The whole time in minutes, for words. */
  readonly minutes: number
}

/** Begins a turn: `spentMs` is what earlier turns have taken, `minutes` what the run may take in all. */
export function beginTurn(
  clock: Clock,
  { spentMs, minutes, isWorded }: { readonly spentMs: number; readonly minutes: number; readonly isWorded: boolean },
): RunTime {
  const beganAt = clock.now()
  const wholeMs = minutes * 60_000
  const spent = () => spentMs + Math.max(0, clock.now() - beganAt)
  return {
    spentMs: spent,
    leftMs: () => wholeMs - spent(),
    leftForPartsMs: () => wholeMs * (isWorded ? SHARE_OF_PARTS : 1) - spent(),
    minutes,
  }
}
