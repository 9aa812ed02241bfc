import { Client } from '@opensearch-project/opensearch'
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import { UnavailableError } from '../../runtime/errors.js'
import type { ClientLog } from '../../runtime/logger.js'
import type { OutageReason } from '../../runtime/outage-reasons.js'

interface EngineRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  /** Lines of `_bulk` and `_msearch`. */
  readonly lines?: readonly object[]
}

interface CallOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The failure of a call, without bodies: the client's own errors carry the whole request, and a logger that prints an
 * error's members would print texts and vectors. `isUnreachable` is true for an engine that did not answer, as opposed to one
 * that refused.
 */
export class EngineFailure extends Error {
  constructor(
    message: string,
    readonly isUnreachable: boolean,
    readonly status: number | null = null,
    readonly type: string | null = null,
    readonly reason: OutageReason = 'unreachable',
  ) {
    super(message)
    this.name = 'EngineFailure'
  }

  /** Appears in logs of workers, which contain no messages. */
  get code(): string {
    return this.type ?? String(this.status ?? this.reason)
  }
}

export interface Connection {
  /** Returns the answer's body. Throws `EngineFailure`, or the signal's reason once it is aborted. */
  call<T>(request: EngineRequest, options: CallOptions): Promise<T>
  /**
   * Calls behind a circuit breaker, for callers that cannot wait: after three failures in a row to reach the engine,
   * calls fail at once, and from then on one call per second tests whether it is back.
   */
  callGuarded<T>(request: EngineRequest, options: CallOptions): Promise<T>
  /** Returns why guarded calls currently fail at once, or null. */
  broken(): string | null
  close(): Promise<void>
}

/** Connects to the engine. The log says once when the circuit opens in an outage, and when it has closed again. */
export function connect(url: string, log?: ClientLog): Connection {
  // No retries here: the relay and the callers of recall have their own retry policies. Answers contain ids and numbers
  // of our own index, so JSON.parse reads them without a check for prototype poisoning.
  const client = new Client({ node: url, maxRetries: 0, disablePrototypePoisoningProtection: true })
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof EngineFailure && error.isUnreachable),
    { halfOpenAfter: 1000, breaker: new ConsecutiveBreaker(3) },
  )
  let closed: Promise<void> | undefined
  let lastFailure = ''
  breaker.onFailure(({ reason }) => {
    if ('error' in reason) lastFailure = reason.error.message
  })
  // A failed test opens the circuit again: one outage is logged once.
  let isLogged = false
  breaker.onBreak(() => {
    if (!isLogged) log?.warn({ reason: lastFailure }, 'opensearch circuit opened')
    isLogged = true
  })
  breaker.onReset(() => {
    log?.info({}, 'opensearch circuit closed')
    isLogged = false
  })
  const isProbing = () => breaker.state === CircuitState.HalfOpen

  async function call<T>(request: EngineRequest, { timeoutMs, signal }: CallOptions): Promise<T> {
    signal?.throwIfAborted()
    const { method, path, query, body, lines } = request
    const sent = client.transport.request(
      { method, path, querystring: query ?? {}, ...(lines ? { bulkBody: ndjson(lines) } : { body: body ?? '' }) },
      { requestTimeout: timeoutMs },
    )
    // Returns nothing: the result of `abort()` is a thenable, and Node raises a listener's rejection in the process.
    const abort = () => {
      sent.abort()
    }
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return (await sent).body as T
    } catch (error) {
      signal?.throwIfAborted()
      throw failureOf(error)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  return {
    call,
    async callGuarded<T>(request: EngineRequest, options: CallOptions): Promise<T> {
      // While one call tests whether the engine is back, cockatiel would make the others wait for its outcome.
      if (isProbing()) throw new EngineFailure('circuit open, trying again', true, null, null, 'circuit_open')
      try {
        return await breaker.execute(() => call<T>(request, options))
      } catch (error) {
        if (error instanceof EngineFailure || options.signal?.aborted) throw error
        throw new EngineFailure('circuit open', true, null, null, 'circuit_open')
      }
    },
    broken: () => (breaker.state === CircuitState.Closed ? null : `circuit open: ${lastFailure}`),
    close: () => (closed ??= client.close()),
  }
}

/**
 * Converts an error for callers of the index: an outage becomes `UnavailableError` with the engine's failure as cause;
 * the caller's own abort stays as it is.
 */
export function toUnavailable(error: unknown): unknown {
  return error instanceof EngineFailure ? new UnavailableError('search', error, error.reason) : error
}

function ndjson(lines: readonly object[]): string {
  return lines.map((line) => JSON.stringify(line) + '\n').join('')
}

function failureOf(error: unknown): EngineFailure {
  const { name, statusCode, body } = error as {
    name?: string
    statusCode?: number
    body?: { error?: { type?: string; reason?: string } }
  }
  if (name !== 'ResponseError') return new EngineFailure(`opensearch: ${name ?? 'failed'}`, true)
  const status = statusCode ?? 0
  const type = body?.error?.type ?? null
  return new EngineFailure(
    `opensearch answered ${status} ${type ?? ''}`.trim(),
    status >= 502 && status <= 504,
    status,
    type,
    reasonOfBlock(type, body?.error?.reason),
  )
}

/**
 * Recognises a block by its id: the flood stage sets 12, operators set 5, 6, 8 and 13. Any other belongs to a cluster
 * that is starting.
 */
export function reasonOfBlock(type: string | null, text = ''): OutageReason {
  if (type !== 'cluster_block_exception') return 'unreachable'
  if (/\/12\/|flood-stage/.test(text)) return 'disk_full'
  return /\/(5|6|8|13)\//.test(text) ? 'read_only' : 'unreachable'
}
