import type { Noise } from './noise.js'
import { ratioOf, timesRow } from './samples.js'

/** Runs once with this item; resolves to the milliseconds that it took. */
export type Timed<T> = (item: T) => Promise<number>

/** Times of a measurement and of its yardstick, taken in one run. */
export interface Pair {
  readonly measured: number[]
  readonly yardstick: number[]
}

export interface Contest<T> {
  readonly measured: Timed<T>
  readonly yardstick: Timed<T>
  readonly noise: Noise
}

/**
 * Measures in the order A B B A …, so that neither profits from what the other has warmed, and both see the same
 * moments of the machine.
 */
export async function alternate<T>(items: readonly T[], { measured, yardstick, noise }: Contest<T>): Promise<Pair> {
  const times: Pair = { measured: [], yardstick: [] }
  for (const [turn, item] of items.entries()) {
    if (turn % 20 === 0) noise.sample()
    if (turn % 2 === 0) times.measured.push(await measured(item))
    times.yardstick.push(await yardstick(item))
    if (turn % 2 === 1) times.measured.push(await measured(item))
  }
  return times
}

export const CONCURRENCY = 4
const BLOCK = 40

/** Measures four at a time, forty of one and forty of the other in alternation. */
export async function alternateBlocks<T>(
  items: readonly T[],
  { measured, yardstick, noise }: Contest<T>,
): Promise<Pair> {
  const times: Pair = { measured: [], yardstick: [] }
  for (let start = 0; start < items.length; start += BLOCK) {
    const block = items.slice(start, start + BLOCK)
    noise.sample()
    times.measured.push(...(await concurrently(block, measured)))
    times.yardstick.push(...(await concurrently(block, yardstick)))
  }
  return times
}

export async function concurrently<T>(items: readonly T[], timed: Timed<T>): Promise<number[]> {
  const left = items.values()
  const times: number[] = []
  const work = async () => {
    for (const item of left) times.push(await timed(item))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return times
}

/** Prints a table of both and their ratio; `names` are those of the measurement and of the yardstick. */
export function printPair(title: string, pair: Pair, names: readonly [string, string], budget: string): void {
  console.log(title)
  console.table({ [names[0]]: timesRow(pair.measured), [names[1]]: timesRow(pair.yardstick) })
  const { p50, p95 } = ratioOf(pair.measured, pair.yardstick)
  console.log(`ratio (budget ${budget}): p50 ${p50}, p95 ${p95}`)
}
