import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Logger } from '../../runtime/logger.js'
import type { Metrics } from '../../runtime/metrics.js'
import { withTimeout } from '../../runtime/clock.js'
import { type Counters, createCounters, type GatewayRates } from './counters.js'

interface RedisCountersOptions {
  readonly url: string
  /** Prefix of every key. */
  readonly prefix: string
  readonly rates: GatewayRates
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'limitStore'>
}

/** Milliseconds of silence after which Redis counts as unavailable: while connected, and at the start. */
const SOCKET_TIMEOUT_MS = 1_000
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 1_000

/**
 * Counters shared by all processes with the same Redis. While Redis is unavailable the counters reject at once and a metric says so;
 * the connection recovers by itself.
 */
export class RedisCounters {
  readonly counters: Counters
  readonly #redis: Redis

  constructor({ url, prefix, rates, logger, metrics }: RedisCountersOptions) {
    this.#redis = new Redis(url, {
      // Commands fail at once while Redis is unavailable, and when their connection breaks.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // Sends what one tick counts, of one request or many, in one write.
      enableAutoPipelining: true,
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      retryStrategy: (times) => Math.min(times * 100, MAX_RECONNECT_DELAY_MS),
    })
    this.counters = createCounters(rates, (options) => {
      const keyPrefix = `${prefix}:limits:${options.keyPrefix}`
      return new RateLimiterRedis({ ...options, keyPrefix, storeClient: this.#redis, rejectIfRedisNotReady: true })
    })
    this.#watch(logger, metrics)
  }

  /** Resolves once Redis is ready, or after two seconds without it. */
  async start(): Promise<void> {
    if (this.#redis.status === 'ready') return
    const ready = new Promise((resolve) => this.#redis.once('ready', resolve))
    await withTimeout(CONNECT_TIMEOUT_MS, ready).catch(() => undefined)
  }

  stop(): void {
    this.#redis.disconnect()
  }

  #watch(logger: Logger, metrics: Pick<Metrics, 'limitStore'>): void {
    let isEnforced = true
    // The events below report the outage; without an error listener ioredis prints to the console.
    this.#redis.on('error', () => undefined)
    this.#redis.on('reconnecting', () => {
      metrics.limitStore(false)
      if (isEnforced) logger.warn('rate limits are not enforced: Redis does not answer')
      isEnforced = false
    })
    this.#redis.on('ready', () => {
      metrics.limitStore(true)
      if (!isEnforced) logger.info('rate limits are enforced again')
      isEnforced = true
    })
  }
}
