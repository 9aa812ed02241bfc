import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Leg, SearchIndex } from '../../search/search-index.js'
import type { TestService } from './service.js'

export interface FaultyIndex {
  /** Makes each search fail in these legs and answer in the others. */
  failLegs(...legs: Leg[]): void
  /** Makes each search throw as if the engine were unavailable. */
  vanish(): void
  /** Does this before each search and once more before its answer comes. */
  delay(work: () => Promise<void>): void
  recover(): void
}

/** Puts a switchable fault between a service's recall and its engine; without a fault every call is forwarded. */
export function makeIndexFaulty(service: TestService): FaultyIndex {
  const context = service.context as { index: SearchIndex }
  const { index } = context
  let failing: readonly Leg[] = []
  let away = false
  let delay = () => Promise.resolve()
  context.index = new Proxy(index, {
    get(target, name) {
      if (name !== 'for') return Reflect.get(target, name, target) as unknown
      return (tenantId: string, corpus?: Corpus): ReturnType<SearchIndex['for']> => {
        const real = target.for(tenantId, corpus)
        return {
          write: (changes, signal) => real.write(changes, signal),
          countOf: (ids) => (away ? Promise.reject(new UnavailableError('search')) : real.countOf(ids)),
          count: () => real.count(),
          compare: (...args) => real.compare(...args),
          listIds: (...args) => real.listIds(...args),
          async search(request, signal) {
            if (away) throw new UnavailableError('search')
            await delay()
            const { legs, ...answer } = await real.search(request, signal)
            await delay()
            const failed = failing.filter((leg) => leg in request)
            const kept = Object.entries(legs).filter(([leg]) => !failed.includes(leg as Leg))
            return { ...answer, legs: Object.fromEntries(kept), failed: [...answer.failed, ...failed] }
          },
        }
      }
    },
  })
  return {
    failLegs(...legs) {
      failing = legs
    },
    vanish() {
      away = true
    },
    delay(work) {
      delay = work
    },
    recover() {
      delay = () => Promise.resolve()
      failing = []
      away = false
    },
  }
}
