/** A source of random values, the same for the same seed. */
export interface Random {
  /** Returns a number uniform in [0, 1). */
  next(): number
  chance(probability: number): boolean
  /** Returns a whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number
  pick<T>(from: readonly T[]): T
  /** Returns `count` different ones, in no order. Throws when there are fewer. */
  sample<T>(from: readonly T[], count: number): T[]
}

export function createRandom(seed: number): Random {
  const next = randomOf(seed)
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    chance: (probability) => next() < probability,
    whole,
    pick: (from) => from[whole(0, from.length - 1)]!,
    sample(from, count) {
      if (count > from.length) throw new Error(`${count} of ${from.length} cannot be picked`)
      const left = [...from]
      return Array.from({ length: count }, () => left.splice(whole(0, left.length - 1), 1)[0]!)
    },
  }
}

/** Returns a Mulberry32 generator, uniform in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
