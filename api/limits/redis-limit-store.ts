import { CircuitState, circuitBreaker, ConsecutiveBreaker, handleAll } from 'cockatiel'
import { Redis } from 'ioredis'
import type { Logger } from '../../runtime/logger.js'
import type { Metrics } from '../../runtime/metrics.js'
import type { Limit, LimitStore, Taken, Window } from './limit-store.js'

export interface RedisLimitStoreOptions {
  readonly url: string
  /** Begins every key. */
  readonly prefix: string
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'limitStore' | 'passedUnlimited'>
  /** Counts while Redis is away, so that answers say something; nobody is refused by it. */
  readonly local: LimitStore
  /** A Redis that takes longer is away. */
  readonly answerMs?: number
}

/** So long is waited once, at the start, and for one request a second of a Redis that hangs. */
const ANSWER_MS = 100
const START_MS = 2_000
const OPEN_MS = 1_000
const FAILURES = 3

/**
 * KEYS are the limits in turn; of each, ARGV holds three: `b`, milliseconds between two requests and how many fit at once, or `w`,
 * its limit and for how many milliseconds it is kept. Answers what each has used, −1 where it refused, and stops there.
 * Buckets go by the clock of Redis: by their own, a process whose clock is behind would find every bucket empty.
 */
const TAKE = `
local answers = {}
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
for i, key in ipairs(KEYS) do
  local kind, first, second = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  if kind == 'b' then
    local full = tonumber(redis.call('GET', key) or '0')
    if full < now or full > now + first * second then full = now end
    if full - now > (second - 1) * first then
      answers[i] = -1
      break
    end
    full = full + first
    redis.call('SET', key, string.format('%.3f', full), 'PX', math.max(1, math.ceil(full - now)))
    answers[i] = 0
  else
    local used = tonumber(redis.call('GET', key) or '0')
    if used >= first then
      answers[i] = -1
      break
    end
    answers[i] = redis.call('INCR', key)
    if used == 0 then redis.call('PEXPIRE', key, second) end
  end
end
return answers`

/** A window that is over, or was never opened, gets nothing back. */
const GIVE_BACK = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then return redis.call('DECR', KEYS[1]) end
return 0`

type Commands = Redis & {
  takeLimits(count: number, ...keysAndArguments: (string | number)[]): Promise<number[]>
  giveBackLimit(key: string): Promise<number>
}

/**
 * Counts for every process that shares the Redis: one round trip and one script for all limits of a request. While Redis is away,
 * or slow, requests pass, and a metric says so; it comes back by itself.
 */
export class RedisLimitStore implements LimitStore {
  readonly #redis: Commands
  readonly #breaker = circuitBreaker(handleAll, {
    halfOpenAfter: OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  })
  readonly #answerMs: number

  constructor(private readonly options: RedisLimitStoreOptions) {
    this.#answerMs = options.answerMs ?? ANSWER_MS
    this.#redis = new Redis(options.url, {
      // Commands fail at once while Redis is away; one that was lost with its connection is not sent again.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: null,
      connectTimeout: START_MS,
      retryStrategy: (times) => Math.min(times * 100, OPEN_MS),
    }) as Commands
    this.#redis.defineCommand('takeLimits', { lua: TAKE })
    this.#redis.defineCommand('giveBackLimit', { lua: GIVE_BACK, numberOfKeys: 1 })
    // Told by the breaker, once; without a listener ioredis prints.
    this.#redis.on('error', () => undefined)
    const { logger, metrics } = options
    metrics.limitStore(true)
    let isTold = false
    this.#breaker.onBreak(() => {
      metrics.limitStore(false)
      if (!isTold) logger.warn('rate limits are not held: Redis does not answer')
      isTold = true
    })
    this.#breaker.onReset(() => {
      metrics.limitStore(true)
      logger.info('rate limits are held again')
      isTold = false
    })
  }

  /** Resolves once Redis is there, or after two seconds without it. */
  async start(): Promise<void> {
    if (this.#redis.status === 'ready') return
    let settle: () => void = () => undefined
    const settled = new Promise<void>((resolve) => (settle = resolve))
    const timer = setTimeout(settle, START_MS)
    this.#redis.once('ready', settle)
    await settled
    clearTimeout(timer)
    this.#redis.off('ready', settle)
  }

  stop(): void {
    this.#redis.disconnect()
  }

  async take(limits: readonly Limit[]): Promise<readonly Taken[]> {
    const keys = limits.map((limit) => this.#keyOf(limit))
    try {
      const answers = await this.#ask(() =>
        this.#redis.takeLimits(keys.length, ...keys, ...limits.flatMap(argumentsOf)),
      )
      return answers.map((used, i) => takenOf(limits[i]!, used))
    } catch {
      this.options.metrics.passedUnlimited()
      const counted = await this.options.local.take(limits)
      return limits.map((_, i) => ({ allowed: true, used: counted[i]?.used ?? 0 }))
    }
  }

  async giveBack(window: Window): Promise<void> {
    try {
      await this.#ask(() => this.#redis.giveBackLimit(this.#keyOf(window)))
    } catch {
      await this.options.local.giveBack(window)
    }
  }

  async #ask<T>(command: () => Promise<T>): Promise<T> {
    // While one call tries whether Redis is back, cockatiel would make the others wait for its outcome.
    if (this.#breaker.state === CircuitState.HalfOpen) throw new Error('Redis is being tried')
    return this.#breaker.execute(() => answeredWithin(this.#answerMs, command()))
  }

  #keyOf(limit: Limit): string {
    const name = `${this.options.prefix}:limits:${limit.key}`
    return limit.kind === 'bucket' ? name : `${name}:${limit.startedAt}`
  }
}

function argumentsOf(limit: Limit): (string | number)[] {
  return limit.kind === 'bucket' ? ['b', 1_000 / limit.perSecond, limit.burst] : ['w', limit.limit, 2 * limit.lengthMs]
}

function takenOf(limit: Limit, used: number): Taken {
  if (used >= 0) return { allowed: true, used }
  return { allowed: false, used: limit.kind === 'bucket' ? 0 : limit.limit }
}

/** An answer that came while this process was busy for longer than the limit lies in the socket: it is looked for once more. */
async function answeredWithin<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new Error('Redis is late'))), milliseconds)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
