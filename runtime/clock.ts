import { TaskCancelledError, timeout, TimeoutStrategy } from 'cockatiel'

/** The source of time. It comes from the context, so that tests can set it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/**
 * Resolves to the result of `work`, or throws an Error when that takes longer. The work itself continues, and its
 * result is dropped.
 */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  try {
    return await timeout(milliseconds, TimeoutStrategy.Aggressive).execute(() => work)
  } catch (error) {
    if (!(error instanceof TaskCancelledError)) throw error
    throw new Error(`no answer within ${milliseconds / 1_000} s`)
  }
}
