import { cpus, loadavg } from 'node:os'
import { round, summarize } from './samples.js'

/** The load from other programs on the machine: the same piece of work, timed repeatedly between measurements. */
export interface Noise {
  sample(): void
  /**
   * Returns the figures. On a quiet machine p50 and p95 are equal; the further they differ, the less the figures beside
   * them are to be trusted.
   */
  summary(): Readonly<Record<string, number | string>>
}

/** Takes some 4 ms on one core. */
const ROUNDS = 2_000_000

export function createNoise(): Noise {
  const samples: number[] = []
  let sink = 0
  const startedLoad = loadavg()[0]!
  return {
    sample() {
      const started = performance.now()
      for (let i = 0; i < ROUNDS; i++) sink = (Math.imul(sink, 1_664_525) + i) | 0
      samples.push(performance.now() - started)
    },
    summary() {
      const { p50, p95 } = summarize(samples)
      return {
        cores: cpus().length,
        'load before': round(startedLoad),
        'load after': round(loadavg()[0]!),
        'fixed loop p50 ms': round(p50),
        'fixed loop p95 ms': round(p95),
        'p95 / p50': round(p95 / p50),
      }
    },
  }
}
