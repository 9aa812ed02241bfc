import {
  bulkhead,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  timeout,
  TimeoutStrategy,
} from 'cockatiel'
import type { EmbeddingPurpose } from './embedder.js'
import { abortedError, callEmbeddings, EmbeddingCallError, type EmbeddingsEndpoint } from './embeddings-call.js'

export interface LaneSettings {
  /** Calls at a time, both purposes together. */
  readonly concurrency: number
  /** Of these, how many passages never take. */
  readonly reservedForQueries: number
  readonly timeoutMs: number
  readonly retries: number
  readonly retryDelayMs: number
  readonly longestRetryDelayMs: number
  readonly breakerFailures: number
  readonly breakerOpenMs: number
}

/** What a logger must have; texts and keys never get there. */
export interface EmbeddingLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export interface LaneOptions {
  /** Absent: any size is taken. */
  readonly dimensions?: number
  readonly log?: EmbeddingLog
}

export interface EmbeddingLanes {
  /** One batch, with everything that guards it. Throws `EmbeddingCallError`. */
  call(purpose: EmbeddingPurpose, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
  health(): { available: boolean; reason?: string }
  close(): void
}

type Call = (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>

const PURPOSES = ['query', 'passage'] as const satisfies readonly EmbeddingPurpose[]

/**
 * Two lanes to one endpoint. A bulk load of passages cannot starve queries: it leaves `reservedForQueries` calls free, and
 * a circuit that it opens, say by batches too large for the time limit, is its own. Around each call, from outside:
 * retry → slot → circuit → time limit, so that a pause between tries holds no slot, and waiting in line is not timed.
 */
export function createEmbeddingLanes(
  endpoint: EmbeddingsEndpoint,
  settings: LaneSettings,
  options: LaneOptions,
): EmbeddingLanes {
  const call = createTimedCall(endpoint, settings.timeoutMs, options.dimensions)
  const circuits = {
    query: createCircuit('query', call, settings, options.log),
    passage: createCircuit('passage', call, settings, options.log),
  }
  const slots = bulkhead(settings.concurrency, Infinity)
  const passageSlots = bulkhead(settings.concurrency - settings.reservedForQueries, Infinity)
  const tries = retry(
    handleWhen((error) => error instanceof EmbeddingCallError && error.retryable),
    {
      maxAttempts: settings.retries,
      backoff: new ExponentialBackoff({
        initialDelay: settings.retryDelayMs,
        maxDelay: settings.longestRetryDelayMs,
      }),
    },
  )

  function throughSlot(purpose: EmbeddingPurpose, work: () => Promise<Float32Array[]>) {
    return purpose === 'query' ? slots.execute(work) : passageSlots.execute(() => slots.execute(work))
  }

  return {
    call: (purpose, texts, signal) =>
      tries.execute(() => throughSlot(purpose, () => circuits[purpose].call(texts, signal)), signal),
    health() {
      const purpose = PURPOSES.find((each) => circuits[each].isOpen())
      if (!purpose) return { available: true }
      return { available: false, reason: `${purpose}: ${circuits[purpose].lastFailure()}` }
    },
    close() {
      for (const purpose of PURPOSES) circuits[purpose].close()
    },
  }
}

function createTimedCall(endpoint: EmbeddingsEndpoint, timeoutMs: number, dimensions: number | undefined): Call {
  const limit = timeout(timeoutMs, TimeoutStrategy.Cooperative)
  return async function call(texts, signal) {
    try {
      return await limit.execute((context) => callEmbeddings(endpoint, texts, dimensions, context.signal), signal)
    } catch (error) {
      if (signal.aborted) throw abortedError()
      throw error
    }
  }
}

/**
 * While open, calls fail at once and the circuit itself asks the endpoint now and then: no caller has to be the one who
 * finds out, an idle service notices the return, and a caller's abort is never taken for an answer.
 */
function createCircuit(purpose: EmbeddingPurpose, call: Call, settings: LaneSettings, log?: EmbeddingLog) {
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof EmbeddingCallError && error.endpointFault),
    { halfOpenAfter: settings.breakerOpenMs, breaker: new ConsecutiveBreaker(settings.breakerFailures) },
  )
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined

  function lastFailure(): string {
    const reason = breaker.lastFailure
    return reason && 'error' in reason ? reason.error.message : 'unknown'
  }
  function probeLater() {
    if (timer || closing.signal.aborted) return
    // A little later than the breaker's own clock, which may not have moved on to the very millisecond.
    timer = setTimeout(() => void probe(), settings.breakerOpenMs + 5).unref()
  }
  async function probe() {
    timer = undefined
    await breaker.execute(() => call(['ping'], closing.signal)).catch(() => undefined)
    if (breaker.state !== CircuitState.Closed) probeLater()
  }
  // A probe that fails breaks the circuit again: one outage is told once.
  let told = false
  breaker.onBreak(() => {
    if (!told) log?.warn({ purpose, reason: lastFailure() }, 'embedder circuit opened')
    told = true
    probeLater()
  })
  breaker.onReset(() => {
    if (!closing.signal.aborted) log?.info({ purpose }, 'embedder circuit closed')
    told = false
  })

  return {
    async call(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
      if (signal.aborted) throw abortedError()
      if (breaker.state !== CircuitState.Closed) throw new EmbeddingCallError('circuit open', lastFailure())
      return breaker.execute(() => call(texts, signal))
    },
    isOpen: () => breaker.state !== CircuitState.Closed,
    lastFailure,
    close() {
      closing.abort()
      clearTimeout(timer)
    },
  }
}
