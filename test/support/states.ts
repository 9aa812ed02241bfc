import { AssertionError } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from './patience.js'

interface Deadline {
  /** Milliseconds; less than mocha allows the test. Both are longer on a slow or busy machine. */
  readonly within?: number
  /** Milliseconds between two looks, where the next one may not come late. */
  readonly every?: number
}

const WITHIN_MS = 15_000

/**
 * Waits until `look` returns true, or until the assertion that it makes holds. Throws a sentence when that takes too long,
 * with the assertion's message as what was last seen; any other error of `look` at once.
 */
export async function until(
  words: string,
  look: () => boolean | Chai.Assertion | Promise<boolean | Chai.Assertion>,
  { within = WITHIN_MS, every }: Deadline = {},
): Promise<void> {
  const begun = Date.now()
  let seen = ''
  const looking = new AbortController()
  const reach = async () => {
    while (!looking.signal.aborted) {
      try {
        if ((await look()) !== false) return
      } catch (error) {
        if (!(error instanceof AssertionError)) throw error
        seen = `; last seen: ${error.message}`
      }
      // Looks often at first, so that a test does not wait for its next look, and rarely at what takes long: the looks
      // of a test take the processor that the service needs.
      await sleep(every ?? Math.min(250, 2 + (Date.now() - begun) / 10))
    }
  }
  try {
    await deadline(reach(), within, () => `${words}${seen}`)
  } finally {
    looking.abort()
  }
}

/** Returns what the promise resolves with. Throws a sentence when that takes too long. */
export function inTime<T>(words: string, promise: Promise<T>, { within = WITHIN_MS }: Deadline = {}): Promise<T> {
  return deadline(promise, within, () => words)
}

async function deadline<T>(promise: Promise<T>, within: number, words: () => string): Promise<T> {
  const ms = Math.round(within * patience())
  const ended = new AbortController()
  const late = sleep(ms, undefined, { signal: ended.signal }).then(
    () => {
      throw new Error(`not within ${ms / 1_000} s: ${words()}`)
    },
    () => new Promise<never>(() => undefined),
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    ended.abort()
  }
}

/** Returns a promise to wait for, and the function that resolves it. */
export function gate<T = void>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open!: (value: T) => void
  const opened = new Promise<T>((resolve) => (open = resolve))
  return { opened, open }
}
