import { UnavailableError } from '../../runtime/errors.js'
import { answersReads, outageMessage, type Dependency, type Fault } from '../../runtime/outage-reasons.js'
import { shareLookup, type SharedLookup } from '../../runtime/share-lookup.js'
import { withTimeout } from '../../runtime/clock.js'
import type { Store } from '../../store/store.js'
import type { ServiceContext } from '../../services/context.js'

interface DependencyState {
  readonly dependency: Dependency
  readonly state: 'ok' | 'impaired' | 'unavailable'
  /** Null when the state is ok. */
  readonly fault: Fault | null
  /** Describes the fault to an operator; null when the state is ok. */
  readonly message: string | null
}

const TIME_LIMIT_MS = 2_000
const CACHE_MS = 1_000

const checks = new WeakMap<Store, SharedLookup<readonly DependencyState[]>>()

/**
 * Returns the state of each dependency, PostgreSQL first; a language model and a reranker only where configured. A dependency that does
 * not answer within two seconds is unavailable. Probes are open to anyone, so the callers of one second share one check. Never rejects.
 */
export function checkDependencies(context: ServiceContext): Promise<readonly DependencyState[]> {
  const { store, clock } = context
  return shareLookup(checks, store, () => check(context), { clock, maxAgeMs: CACHE_MS })
}

async function check({
  store,
  index,
  indexBuilds,
  embedder,
  languageModel,
  reranker,
  queueHealth,
}: ServiceContext): Promise<readonly DependencyState[]> {
  const [postgres, search, queue] = await Promise.all([
    faultOf(async () => {
      const reason = await store.writeFault()
      return reason && { reason, detail: reason }
    }),
    faultOf(async () => indexBuilds.fault() ?? (await index.health())),
    faultOf(queueHealth),
  ])
  return [
    stateOf('postgres', postgres),
    stateOf('search', search),
    stateOf('queue', queue),
    stateOf('embedder', modelFault(embedder)),
    ...(languageModel ? [stateOf('language model', modelFault(languageModel))] : []),
    ...(reranker ? [stateOf('reranker', modelFault(reranker))] : []),
  ]
}

async function faultOf(ask: () => Promise<Fault | null>): Promise<Fault | null> {
  try {
    return await withTimeout(TIME_LIMIT_MS, ask())
  } catch (error) {
    const reason = error instanceof UnavailableError ? error.reason : 'unreachable'
    return { reason, detail: error instanceof Error ? error.message : reason }
  }
}

function modelFault(model: { health(): { available: boolean; reason?: string } }): Fault | null {
  const { available, reason = '' } = model.health()
  return available ? null : { reason: 'circuit_open', detail: reason }
}

function stateOf(dependency: Dependency, fault: Fault | null): DependencyState {
  if (fault === null) return { dependency, state: 'ok', fault, message: null }
  const state = answersReads(fault.reason) ? 'impaired' : 'unavailable'
  return { dependency, state, fault, message: outageMessage(dependency, fault.reason) }
}
