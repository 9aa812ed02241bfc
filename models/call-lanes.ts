import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  type IBackoffFactory,
  type IRetryBackoffContext,
  retry,
  timeout,
  TimeoutStrategy,
} from 'cockatiel'
import { abortedError, lateError, ModelCallError, type ModelFailure } from './model-call.js'
import type { ClientLog } from '../runtime/logger.js'

export interface LaneSettings extends RetrySettings {
  /** Maximum number of concurrent calls of all lanes. */
  readonly concurrency: number
  /** Number of these that only the first lane may use. */
  readonly reserved: number
  /** Time limit of one call. */
  readonly timeoutMs: number
}

export interface RetrySettings {
  /** Retries of a call that failed for a transient reason. Default 2. */
  readonly retries: number
  /** First and longest delay between attempts; in between they grow with jitter. Default 200 and 5,000. */
  readonly retryDelayMs: number
  readonly longestRetryDelayMs: number
  /** Consecutive failed calls that open a circuit. Default 5. */
  readonly breakerFailures: number
  /** Milliseconds until an open circuit probes the endpoint again. Default 5,000. */
  readonly breakerOpenMs: number
}

export function retrySettings(given: Partial<RetrySettings>): RetrySettings {
  return {
    retries: given.retries ?? 2,
    retryDelayMs: given.retryDelayMs ?? 200,
    longestRetryDelayMs: given.longestRetryDelayMs ?? 5_000,
    breakerFailures: given.breakerFailures ?? 5,
    breakerOpenMs: given.breakerOpenMs ?? 5_000,
  }
}

/**
 * Returns how many of `concurrency` calls are reserved for the first lane: a share, but at least one, and never all.
 */
export function reservedOf(concurrency: number, share: number): number {
  return Math.min(concurrency - 1, Math.max(1, Math.round(concurrency * share)))
}

export interface ModelHealth {
  /** False while a circuit to a remote model is open, and while a local one is not loaded. */
  readonly available: boolean
  readonly reason?: string
}

interface LaneOptions<Lane extends string> {
  /** Name of the endpoint in messages; `name` is used in the log, as in `<name> circuit opened`. */
  readonly what: string
  readonly name: string
  /** Lanes, beginning with the one whose callers wait for the answer. */
  readonly lanes: readonly [Lane, ...Lane[]]
  /** A call that shows that the endpoint is reachable: an open circuit probes with it. */
  readonly probe: Call<unknown>
  readonly log?: ClientLog
  readonly observeCall?: ObserveCall | undefined
}

/** Called after each call that was sent, with its lane, outcome and duration. */
export type ObserveCall = (lane: string, outcome: 'ok' | ModelFailure, seconds: number) => void

/** One call; rejects with `ModelCallError`, soon after its signal aborts. */
type Call<T> = (signal: AbortSignal) => Promise<T>

interface CallLimits {
  readonly signal?: AbortSignal
  /**
   * Time limit in milliseconds for everything, including waiting for a slot and retries; then the call fails with
   * `timeout`.
   */
  readonly withinMs?: number
}

interface CallLanes<Lane extends string> {
  /** Makes one call with all safeguards. Throws `ModelCallError`. */
  call<T>(lane: Lane, call: Call<T>, limits?: CallLimits): Promise<T>
  /** Sends the probe, bypassing slots and circuits. Returns whether the endpoint answers, even if it declines. */
  answers(signal: AbortSignal): Promise<boolean>
  health(): ModelHealth
  /** Aborts the calls in progress; later ones fail. */
  close(): void
}

/**
 * Creates lanes to one endpoint. The lanes after the first cannot starve it: they leave `reserved` calls free, and a
 * circuit that one of them opens, for example by batches too large for the time limit, is its own. The order around
 * each call, from outside, is retry → slot → circuit → time limit, so that a delay between attempts holds no slot, and
 * waiting for a slot is not timed. Nothing is sent until the time that an endpoint's `Retry-After` names: calls wait at
 * most as long as the longest delay between attempts, else they fail at once.
 */
export function createCallLanes<Lane extends string>(
  settings: LaneSettings,
  options: LaneOptions<Lane>,
): CallLanes<Lane> {
  const { lanes, probe } = options
  let quietUntil = 0
  const quietMs = () => Math.max(0, quietUntil - performance.now())
  const circuits = new Map(lanes.map((lane) => [lane, createCircuit(lane, settings, options, quietMs)]))
  const slots = bulkhead(settings.concurrency, Infinity)
  const sharedSlots = bulkhead(settings.concurrency - settings.reserved, Infinity)
  const tries = retry(
    handleWhen(
      (error) => error instanceof ModelCallError && error.retryable && quietMs() <= settings.longestRetryDelayMs,
    ),
    {
      maxAttempts: settings.retries,
      backoff: after(
        quietMs,
        new ExponentialBackoff({ initialDelay: settings.retryDelayMs, maxDelay: settings.longestRetryDelayMs }),
      ),
    },
  )
  const closing = new Set<() => void>()
  let closed = false

  function throughSlot<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    return lane === lanes[0] ? slots.execute(work) : sharedSlots.execute(() => slots.execute(work))
  }

  async function send<T>(lane: Lane, call: Call<T>, signal: AbortSignal): Promise<T> {
    const retryAfterMs = quietMs()
    if (retryAfterMs > 0)
      throw new ModelCallError('busy', `The ${options.what} asked the client to retry later.`, { retryAfterMs })
    try {
      return await circuits.get(lane)!.call(call, signal)
    } catch (error) {
      if (error instanceof ModelCallError && error.retryAfterMs > 0)
        quietUntil = Math.max(quietUntil, performance.now() + error.retryAfterMs)
      throw error
    }
  }

  return {
    async call(lane, call, { signal, withinMs } = {}) {
      if (closed || signal?.aborted) throw abortedError()
      if (withinMs !== undefined && withinMs <= 0) throw lateError(options)
      const over = new AbortController()
      const abort = () => over.abort(abortedError())
      const timer = withinMs === undefined ? undefined : setTimeout(() => over.abort(lateError(options)), withinMs)
      signal?.addEventListener('abort', abort, { once: true })
      closing.add(abort)
      let failure: unknown
      // If this call itself opened the circuit, the error that opened it says more.
      const attempt = () =>
        throughSlot(lane, () => send(lane, call, over.signal)).catch((error: unknown) => {
          failure = failure !== undefined && isOpenCircuit(error) ? failure : error
          throw failure
        })
      try {
        return await untilAborted(over.signal, () => tries.execute(attempt, over.signal))
      } finally {
        clearTimeout(timer)
        closing.delete(abort)
        signal?.removeEventListener('abort', abort)
      }
    },
    async answers(signal) {
      if (closed || signal.aborted || quietMs() > 0) return false
      const over = new AbortController()
      const abort = () => over.abort(abortedError())
      closing.add(abort)
      try {
        await probe(AbortSignal.any([signal, over.signal, AbortSignal.timeout(settings.timeoutMs)]))
        return true
      } catch (error) {
        return error instanceof ModelCallError && error.fault === 'input'
      } finally {
        closing.delete(abort)
      }
    },
    health() {
      const lane = lanes.find((each) => circuits.get(each)!.isOpen())
      if (lane === undefined) return { available: true }
      return { available: false, reason: `${lane}: ${circuits.get(lane)!.lastFailure()}` }
    },
    close() {
      closed = true
      for (const abort of closing) abort()
      for (const circuit of circuits.values()) circuit.close()
    },
  }
}

function isOpenCircuit(error: unknown): boolean {
  return error instanceof ModelCallError && error.failure === 'circuit open'
}

type Backoff = IBackoffFactory<IRetryBackoffContext<unknown>>

/** Returns the delays of `backoff`, each starting after the rest of `Retry-After`. */
function after(quietMs: () => number, backoff: Backoff): Backoff {
  return {
    next(context) {
      const step = backoff.next(context)
      // Timers drop fractions of a millisecond and may fire one early; a call within `Retry-After` would fail as busy.
      return { ...after(quietMs, step), duration: step.duration + Math.ceil(quietMs()) + 1 }
    },
  }
}

/** Rejects as soon as the signal aborts; work that queues or waits between attempts notices it only later. */
function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work().then(resolve, reject)
  })
}

/**
 * Creates a circuit breaker. While it is open, calls fail at once and the circuit itself probes the endpoint at
 * intervals: no caller has to find out, an idle service notices the recovery, and a caller's abort never counts as an
 * answer. Exceeding a caller's `withinMs` does count as a failure: an endpoint that is always too late for its callers
 * is of no use to them.
 */
function createCircuit<Lane extends string>(
  lane: Lane,
  settings: LaneSettings,
  { name, probe, log, observeCall }: LaneOptions<Lane>,
  quietMs: () => number,
) {
  const limit = timeout(settings.timeoutMs, TimeoutStrategy.Cooperative)
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof ModelCallError && error.fault === 'endpoint'),
    { halfOpenAfter: settings.breakerOpenMs, breaker: new ConsecutiveBreaker(settings.breakerFailures) },
  )
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined

  async function timed<T>(call: Call<T>, signal: AbortSignal): Promise<T> {
    const start = performance.now()
    const observe = (outcome: 'ok' | ModelFailure) => observeCall?.(lane, outcome, (performance.now() - start) / 1_000)
    try {
      const answer = await limit.execute((context) => call(context.signal), signal)
      observe('ok')
      return answer
    } catch (error) {
      const failure: unknown = signal.aborted ? signal.reason : error
      observe(failure instanceof ModelCallError ? failure.failure : 'failing')
      throw failure
    }
  }
  function lastFailure(): string {
    const reason = breaker.lastFailure
    return reason && 'error' in reason ? reason.error.message : 'unknown'
  }
  function probeLater() {
    if (timer || closing.signal.aborted) return
    // A little later than the breaker's own clock, which may not have reached the very millisecond.
    timer = setTimeout(() => void askAgain(), Math.max(settings.breakerOpenMs, quietMs()) + 5).unref()
  }
  async function askAgain() {
    timer = undefined
    await breaker.execute(() => timed(probe, closing.signal)).catch(() => undefined)
    if (breaker.state !== CircuitState.Closed) probeLater()
  }
  // A failed probe opens the circuit again: one outage is logged once.
  let isLogged = false
  breaker.onBreak(() => {
    if (!isLogged) log?.warn({ lane, reason: lastFailure() }, `${name} circuit opened`)
    isLogged = true
    probeLater()
  })
  breaker.onReset(() => {
    if (!closing.signal.aborted) log?.info({ lane }, `${name} circuit closed`)
    isLogged = false
  })

  return {
    async call<T>(call: Call<T>, signal: AbortSignal): Promise<T> {
      if (signal.aborted) throw signal.reason
      if (breaker.state !== CircuitState.Closed) throw new ModelCallError('circuit open', lastFailure())
      return breaker.execute(() => timed(call, signal))
    },
    isOpen: () => breaker.state !== CircuitState.Closed,
    lastFailure,
    close() {
      closing.abort(abortedError())
      clearTimeout(timer)
    },
  }
}
