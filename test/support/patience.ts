import mocha from 'mocha'
import { availableParallelism, loadavg } from 'node:os'

/** Milliseconds of a processor that `work` takes on the machines for which the limits of the tests were written. */
const USUAL_MS = 50
/** A test that hangs is not to hang for an hour. */
const MOST = 8

const slowness = timeOf(work) / USUAL_MS

/**
 * Returns by what the limits of tests are multiplied: 1 on a usual machine that does nothing else, more on one that is slow, or that has
 * more to do than it has processors. A limit ends a test that hangs; it says nothing about how fast the service is.
 */
export function patience(): number {
  return Math.min(MOST, Math.max(1, slowness) * Math.max(1, loadavg()[0]! / availableParallelism()))
}

/** Returns the time that a job takes of a processor, not that in which it waits for one. */
function timeOf(job: () => unknown): number {
  const begun = process.cpuUsage()
  job()
  return process.cpuUsage(begun).user / 1_000
}

function work(): number {
  let sum = 0
  for (let i = 0; i < 3e7; i++) sum = (sum * 31 + i) | 0
  return sum
}

const { timeout } = mocha.Runnable.prototype
/** Mocha asks for the limit of a test or hook when it starts it, and sets what the test or its suite said. */
mocha.Runnable.prototype.timeout = function (this: Mocha.Runnable, ...limit: unknown[]) {
  const own = (timeout as (...args: unknown[]) => unknown).apply(this, limit)
  return limit.length === 0 ? (own as number) * patience() : own
} as typeof timeout
