import type { Principal } from '../domain/principal.js'
import type { Clock } from '../runtime/clock.js'
import type { ExternalCalls } from '../runtime/external-calls.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { Store } from '../store/store.js'
import type { CheckedBody } from './validation/body-reader.js'
import type { CheckedParameters } from './validation/contract.js'

/** The part of the operations' context that the transport itself uses. */
export interface TransportContext {
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly store: Store
  readonly lastSeenTracker: { touch(caller: Pick<Principal, 'tenantId' | 'agentId'>): void }
}

/** A request that was checked against the contract. */
interface OperationInput extends CheckedParameters {
  readonly body: unknown
  readonly itemFaults: CheckedBody['itemFaults']
  /** Aborted at the request's deadline and when the caller disconnects. */
  readonly signal: AbortSignal
  readonly requestId: string
  readonly externalCalls: ExternalCalls
}

interface OperationAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * The function of one operation, as the transport calls it. Its parameters are compared as those of a method, so that a table whose
 * operations name the exact types of their input fits: the contract has checked the input by the time that an operation gets it.
 */
export type AnyOperation<Context = TransportContext> = {
  run(context: Context, caller: Principal | null, input: OperationInput): Promise<OperationAnswer>
}['run']

/** The operations by their ids. */
export type Operations<Context = TransportContext> = Readonly<Record<string, AnyOperation<Context>>>

const REPLAYED = 'Idempotent-Replayed'

/** Marks the stored answer of an idempotent write that a repeated request gets. */
export function markReplay<A extends { readonly headers?: Readonly<Record<string, string>> }>(answer: A): A {
  return { ...answer, headers: { ...answer.headers, [REPLAYED]: 'true' } }
}

export function isReplay(headers: object): boolean {
  return REPLAYED in headers
}
