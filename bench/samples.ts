/** Statistics of samples in milliseconds, or in any other unit. */
interface Summary {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Returns quantiles by nearest rank. Without samples everything is NaN. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b)
  const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
  return { count: sorted.length, mean, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}

/** Returns one row of a table of times. */
export function timesRow(samples: readonly number[]) {
  const { count, mean, p50, p95, p99 } = summarize(samples)
  return { samples: count, 'p50 ms': round(p50), 'p95 ms': round(p95), 'p99 ms': round(p99), 'mean ms': round(mean) }
}

interface Ratio {
  readonly p50: number
  readonly p95: number
}

/** Returns how many times as long `measured` takes as `reference`. */
export function ratioOf(measured: readonly number[], reference: readonly number[]): Ratio {
  const [a, b] = [summarize(measured), summarize(reference)]
  return { p50: round(a.p50 / b.p50), p95: round(a.p95 / b.p95) }
}
