import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Upper bounds in seconds: of what a caller waits for, and of calls and jobs that may take longer. */
const LATENCY_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]
export const DURATION_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60]

/** Returns functions that create instruments of these registers. The buckets of a histogram are seconds. */
export function instrumentsIn(registers: Registry[]) {
  return {
    histogram: <L extends string>(name: string, help: string, labelNames: L[] = [], buckets = LATENCY_BUCKETS) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
    counter: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, labelNames: L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
  }
}
