import { setImmediate } from 'node:timers/promises'

/**
 * Milliseconds of work between two yields: long enough to cost nothing, short enough that other requests hardly wait.
 */
const SLICE_MS = 10
/** Milliseconds of work after which a yield leaves one more turn of the event loop to others. */
const STEP_MS = 5
/** Milliseconds of a turn in which nobody else had work to do. */
const EMPTY_TURN_MS = 0.2

interface YielderOptions {
  readonly sliceMs?: number
  /** Turns of the event loop that one yield leaves to others at most. Default 1: work that holds locks must not wait for longer. */
  readonly mostTurns?: number
  /** The request's signal. */
  readonly signal?: AbortSignal
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Returns a function to call after each step of a loop over many texts. It yields to the event loop whenever about
 * `sliceMs` of work have passed since the last yield, so that one caller's long texts do not delay everybody's
 * requests, and returns undefined when there is nothing to wait for. With `mostTurns` short work goes before long work:
 * the longer the loop has worked, the more turns of the event loop it leaves to others, as long as they use them. It
 * throws the reason of an aborted signal: work that nobody waits for any more must not keep its request's permit.
 */
export function createYielder({
  sliceMs = SLICE_MS,
  mostTurns = 1,
  signal,
  now = () => performance.now(),
}: YielderOptions = {}): () => Promise<void> | undefined {
  let since = now()
  let workedMs = 0
  return () => {
    signal?.throwIfAborted()
    const at = now()
    if (at - since < sliceMs) return undefined
    workedMs += at - since
    const turns = Math.min(mostTurns, 1 + Math.floor(workedMs / STEP_MS))
    return leaveTurns(turns, now).then((until) => void (since = until))
  }
}

/** Leaves up to `turns` turns of the event loop to others, until one in which they have nothing to do. Returns the time. */
async function leaveTurns(turns: number, now: () => number): Promise<number> {
  let at = now()
  for (let left = turns; left > 0; left--) {
    const before = at
    await setImmediate()
    at = now()
    if (at - before < EMPTY_TURN_MS) break
  }
  return at
}
