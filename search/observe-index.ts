import { UnavailableError } from '../runtime/errors.js'
import type { EngineOperation, EngineOutcome } from '../runtime/request-metrics.js'
import type { TenantIndex } from './search-index.js'

/** Called after each call of an engine with the operation, its outcome and its duration. */
export type ObserveEngine = (operation: EngineOperation, outcome: EngineOutcome, seconds: number) => void

export function observeIndex(index: TenantIndex, observe: ObserveEngine): TenantIndex {
  async function timed<T>(operation: EngineOperation, call: Promise<T>, signal?: AbortSignal): Promise<T> {
    const start = performance.now()
    const report = (outcome: EngineOutcome) => observe(operation, outcome, (performance.now() - start) / 1_000)
    try {
      const answer = await call
      report('ok')
      return answer
    } catch (error) {
      report(signal?.aborted ? 'aborted' : error instanceof UnavailableError ? error.reason : 'failed')
      throw error
    }
  }
  return {
    search: (request, signal) => timed('search', index.search(request, signal), signal),
    write: (changes, signal) => timed('write', index.write(changes, signal), signal),
    countOf: (ids) => timed('count', index.countOf(ids)),
    count: () => timed('count', index.count()),
    compare: (expected, signal) => timed('compare', index.compare(expected, signal), signal),
    listIds: (selection, signal) => timed('compare', index.listIds(selection, signal), signal),
  }
}
