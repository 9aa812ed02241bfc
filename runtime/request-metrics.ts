import type { Registry } from 'prom-client'
import { DURATION_BUCKETS, instrumentsIn } from './instruments.js'
import { OUTAGE_REASONS, type OutageReason } from './outage-reasons.js'

export type EngineOperation = 'search' | 'write' | 'count' | 'compare'
/** `failed` is a failure that is no outage; `aborted` is a search that its caller gave up. */
export type EngineOutcome = 'ok' | 'aborted' | 'failed' | OutageReason

/** The metrics of requests and of what they wait for. All durations are seconds. */
export interface RequestMetrics {
  /** Observes a request. `operationId` is `unknown` for a path that the contract does not have. */
  request(operationId: string, status: number, seconds: number): void
  /** Observes one leg of a search; `outcome` is ok or failed. */
  leg(leg: string, outcome: 'ok' | 'failed', seconds: number): void
  /** Observes a recall; `degraded` is as in the answer. */
  recall(seconds: number, degraded: string | null): void
  /** Counts texts that recalls ranked, by where their analysis came from: cached, stored, or analysed by the recall. */
  recallTexts(source: 'cached' | 'stored' | 'analysed', count: number): void
  /**
   * Counts a refused request; `limit` is a class of the application limiter, or address, tenant, concurrency, row or bodies.
   */
  limited(limit: string): void
  /** Sets whether the store that limiters share answers. */
  limitStore(isThere: boolean): void
  /** Counts a check that the shared store did not answer, so that its request passed. */
  passedUnlimited(): void
  /** Sets the requests that have a permit, that wait for one, and that wait for another service. */
  admission(use: { readonly running: number; readonly waiting: number; readonly externalCalls: number }): void
  /** Sets the reserved bytes of bodies, and the requests whose body waits unread for memory. */
  bodies(use: { readonly bytes: number; readonly waiting: number }): void
  /** Returns what observes the calls of a search engine. */
  engineCalls(engine: string): (operation: EngineOperation, outcome: EngineOutcome, seconds: number) => void
}

/** `onOutage` is called when a call of the engine failed because the engine is unavailable or takes no writes. */
export function createRequestMetrics(registers: Registry[], onOutage: (reason: OutageReason) => void): RequestMetrics {
  const instruments = createInstruments(registers)
  return {
    request(operation, status, seconds) {
      instruments.requests.observe({ operation, status: String(status) }, seconds)
    },
    leg: (leg, outcome, seconds) => instruments.legs.observe({ leg, outcome }, seconds),
    recall(seconds, degraded) {
      instruments.recalls.observe(seconds)
      for (const missing of degraded?.split(',') ?? []) instruments.degraded.inc({ missing })
    },
    recallTexts: (source, count) => instruments.texts.inc({ source }, count),
    limited: (limit) => instruments.limited.inc({ limit }),
    limitStore: (isThere) => instruments.limitStore.set({ store: 'redis' }, isThere ? 1 : 0),
    passedUnlimited: () => instruments.passedUnlimited.inc(),
    admission({ running, waiting, externalCalls }) {
      instruments.admitted.set({ state: 'running' }, running)
      instruments.admitted.set({ state: 'waiting' }, waiting)
      instruments.admitted.set({ state: 'outside' }, externalCalls)
    },
    bodies({ bytes, waiting }) {
      instruments.bodyBytes.set(bytes)
      instruments.admitted.set({ state: 'unread' }, waiting)
    },
    engineCalls: (engine) => (operation, outcome, seconds) => {
      instruments.engine.observe({ engine, operation, outcome }, seconds)
      const reason = OUTAGE_REASONS.find((each) => each === outcome)
      if (reason !== undefined) onOutage(reason)
    },
  }
}

function createInstruments(registers: Registry[]) {
  const { histogram, counter, gauge } = instrumentsIn(registers)
  return {
    requests: histogram('cairn_request_seconds', 'Requests by operation and status.', ['operation', 'status']),
    legs: histogram('cairn_recall_leg_seconds', 'Legs of searches; those of one search are one call.', [
      'leg',
      'outcome',
    ]),
    recalls: histogram('cairn_recall_seconds', 'Recalls.'),
    texts: counter('cairn_recall_texts_total', 'Texts that recalls ranked, by where their analysis came from.', [
      'source',
    ]),
    degraded: counter('cairn_recall_degraded_total', 'Recalls that were answered without a part.', ['missing']),
    limited: counter('cairn_limited_total', 'Requests that a limit refused.', ['limit']),
    limitStore: gauge('cairn_limit_store_up', '1 while the store that limiters share answers.', ['store']),
    passedUnlimited: counter(
      'cairn_limit_passed_total',
      'Checks of limits that passed because that store did not answer.',
    ),
    admitted: gauge(
      'cairn_requests',
      'Requests of tenants that are running, that wait for a permit, that wait for another service, and whose body waits unread for memory.',
      ['state'],
    ),
    bodyBytes: gauge('cairn_body_bytes', 'Bytes of memory reserved for bodies, without small ones.'),
    engine: histogram(
      'cairn_engine_seconds',
      'Calls of the search engine.',
      ['engine', 'operation', 'outcome'],
      DURATION_BUCKETS,
    ),
  }
}
