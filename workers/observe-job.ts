import type { JobContext } from './jobs.js'

/** Runs a job, scheduled job or chore, and reports to the metrics how it ended. */
export async function observeJob<T>(
  { metrics }: Pick<JobContext, 'metrics'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now()
  const report = (outcome: 'ok' | 'failed') => metrics.job(name, outcome, (performance.now() - start) / 1_000)
  try {
    const result = await work()
    report('ok')
    return result
  } catch (error) {
    report('failed')
    throw error
  }
}
