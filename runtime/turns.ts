import { setImmediate } from 'node:timers/promises'

/** Long enough to cost nothing, short enough that other requests hardly wait. */
const SLICE_MS = 10

export interface TurnOptions {
  readonly sliceMs?: number
  /** The request's. */
  readonly signal?: AbortSignal
}

/**
 * For a loop over many texts: called after each, it gives the event loop a turn whenever about `sliceMs` of work have gone by, so
 * that one caller's long texts do not hold up everybody's requests. It throws the reason of a signal that is aborted: work that nobody
 * waits for any more must not go on holding its request's permit.
 */
export function createTurns({ sliceMs = SLICE_MS, signal }: TurnOptions = {}): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    signal?.throwIfAborted()
    if (performance.now() - since < sliceMs) return undefined
    return setImmediate().then(() => void (since = performance.now()))
  }
}
