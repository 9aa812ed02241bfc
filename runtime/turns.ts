import { setImmediate } from 'node:timers/promises'

/** Long enough to cost nothing, short enough that other requests hardly wait. */
const SLICE_MS = 10

/**
 * For a loop over many texts: called after each, it gives the event loop a turn whenever about `sliceMs` of work have gone by, so
 * that one caller's long texts do not hold up everybody's requests.
 */
export function createTurns(sliceMs = SLICE_MS): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    return setImmediate().then(() => void (since = performance.now()))
  }
}
