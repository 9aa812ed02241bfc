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

export interface LaneSettings extends RetrySettings {
  /** Calls at a time, all lanes together. */
  readonly concurrency: number
  /** Of these, how many only the first lane takes. */
  readonly reserved: number
  /** Time limit of one call. */
  readonly timeoutMs: number
}

export interface RetrySettings {
  /** Further tries of a call that failed for a passing reason. Default 2. */
  readonly retries: number
  /** First and longest pause between tries; between them they grow with jitter. Default 200 and 5,000. */
  readonly retryDelayMs: number
  readonly longestRetryDelayMs: number
  /** Failed calls in a row that open a circuit. Default 5. */
  readonly breakerFailures: number
  /** How long an open circuit waits before it asks the endpoint again. Default 5,000. */
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

/** How many of `concurrency` calls only the first lane takes: a share, but one at least, and never all. */
export function reservedOf(concurrency: number, share: number): number {
  return Math.min(concurrency - 1, Math.max(1, Math.round(concurrency * share)))
}

/** What a logger must have; texts and keys never get there. */
export interface ModelLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface ModelHealth {
  /** False while a circuit to a remote model is open, and while a local one is not loaded. */
  readonly available: boolean
  readonly reason?: string
}

export interface LaneOptions<Lane extends string> {
  /** Whose calls these are: in messages, and `<name> circuit opened` in the log. */
  readonly what: string
  readonly name: string
  /** Those for whom somebody waits come first. */
  readonly lanes: readonly [Lane, ...Lane[]]
  /** Any call by which the endpoint shows that it is there: an open circuit asks with it. */
  readonly probe: Call<unknown>
  readonly log?: ModelLog
  readonly observeCall?: ObserveCall | undefined
}

/** Told of each call as it is sent: for whom, how it ended, and after how many seconds. */
export type ObserveCall = (lane: string, outcome: 'ok' | ModelFailure, seconds: number) => void

/** One call as it is sent; rejects with `ModelCallError`, soon after its signal aborts. */
export type Call<T> = (signal: AbortSignal) => Promise<T>

export interface CallLimits {
  readonly signal?: AbortSignal
  /** For all of it, waiting in line and further tries included; what is not there by then is `timeout`. */
  readonly withinMs?: number
}

export interface CallLanes<Lane extends string> {
  /** One call, with everything that guards it. Throws `ModelCallError`. */
  call<T>(lane: Lane, call: Call<T>, limits?: CallLimits): Promise<T>
  /** Asks with the probe, past slots and circuits. Returns whether the endpoint answers, be it by declining. */
  answers(signal: AbortSignal): Promise<boolean>
  health(): ModelHealth
  /** Ends the calls under way; later ones fail. */
  close(): void
}

/**
 * Lanes to one endpoint. Those after the first cannot starve it: they leave `reserved` calls free, and a circuit that one of
 * them opens, say by batches too large for the time limit, is its own. Around each call, from outside:
 * retry → slot → circuit → time limit, so that a pause between tries holds no slot, and waiting in line is not timed.
 * While an endpoint that said `Retry-After` is to be left alone nothing is sent: calls wait as long as a pause between tries may be, or
 * fail at once.
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
      throw new ModelCallError('busy', `The ${options.what} asked to be left alone.`, { retryAfterMs })
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
      // A circuit that this call has opened itself says less than what opened it.
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

/** The pauses of `backoff`, each begun after what is left of the quiet. */
function after(quietMs: () => number, backoff: Backoff): Backoff {
  return {
    next(context) {
      const step = backoff.next(context)
      return { ...after(quietMs, step), duration: step.duration + quietMs() }
    },
  }
}

/** Rejects as soon as the signal aborts, although work that queues or pauses between tries notices it only later. */
function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work().then(resolve, reject)
  })
}

/**
 * While open, calls fail at once and the circuit itself asks the endpoint now and then: no caller has to be the one who
 * finds out, an idle service notices the return, and a caller's abort is never taken for an answer. What is late for its
 * caller's `withinMs` is: an endpoint that is always too late for its callers is of no use to them.
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
    // A little later than the breaker's own clock, which may not have moved on to the very millisecond.
    timer = setTimeout(() => void askAgain(), Math.max(settings.breakerOpenMs, quietMs()) + 5).unref()
  }
  async function askAgain() {
    timer = undefined
    await breaker.execute(() => timed(probe, closing.signal)).catch(() => undefined)
    if (breaker.state !== CircuitState.Closed) probeLater()
  }
  // A probe that fails breaks the circuit again: one outage is told once.
  let told = false
  breaker.onBreak(() => {
    if (!told) log?.warn({ lane, reason: lastFailure() }, `${name} circuit opened`)
    told = true
    probeLater()
  })
  breaker.onReset(() => {
    if (!closing.signal.aborted) log?.info({ lane }, `${name} circuit closed`)
    told = false
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
