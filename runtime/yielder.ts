import { setImmediate } from 'node:timers/promises'

/**
 * Milliseconds of work between two yields: long enough to cost nothing, short enough that other requests hardly wait.
 */
const SLICE_MS = 10

interface YielderOptions {
  readonly sliceMs?: number
  /** The request's signal. */
  readonly signal?: AbortSignal
}

/**
 * Returns a function to call after each step of a loop over many texts. It yields to the event loop whenever about
 * `sliceMs` of work have passed since the last yield, so that one caller's long texts do not delay everybody's
 * requests, and returns undefined when there is nothing to wait for. It throws the reason of an aborted signal: work
 * that nobody waits for any more must not keep its request's permit.
 */
export function createYielder({ sliceMs = SLICE_MS, signal }: YielderOptions = {}): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    signal?.throwIfAborted()
    if (performance.now() - since < sliceMs) return undefined
    return setImmediate().then(() => void (since = performance.now()))
  }
}
