import { getHeapStatistics } from 'node:v8'
import type { ServiceContext } from '../services/context.js'
import { cairnContract } from '../http/validation/contract.js'
import { createMemoryCounters, type Counters } from '../http/limits/counters.js'
import { RateLimiter } from '../http/limits/rate-limiter.js'
import { RedisCounters } from '../http/limits/redis-counters.js'
import { createAdmission } from '../http/limits/admission.js'
import { createBodyMemory } from '../http/limits/body-memory.js'
import { operations } from '../api/operations.js'
import { createServer } from '../http/server.js'
import { createDocsSite, createIconSite } from '../docs-site/site.js'
import { createMcpEndpoint } from '../mcp/endpoint.js'
import type { Config } from '../runtime/config.js'
import type { Lifecycle } from '../runtime/lifecycle.js'
import { type Metrics, startMetricsServer } from '../runtime/metrics.js'
import type { readTls } from './compose-parts.js'

/** Starts the metrics server and returns the URL for Prometheus; null when it is turned off. */
export async function startMetrics(
  lifecycle: Lifecycle,
  { metrics: at }: Config,
  metrics: Metrics,
): Promise<string | null> {
  if (at.port === 0) return null
  const server = await lifecycle.start(
    'metrics server',
    () => startMetricsServer(at, metrics),
    (part) => part.stop(),
  )
  return `${urlOf('http', at.host, server.port)}/metrics`
}

/** Starts the API and returns its URL. */
export async function startApi(
  lifecycle: Lifecycle,
  config: Config,
  currentContext: () => ServiceContext,
  { adminKey, tls }: { adminKey: string | null; tls: Awaited<ReturnType<typeof readTls>> },
): Promise<string> {
  const { host, port, trustProxy, corsOrigins, accessLog } = config.http
  const { clock, metrics, version } = currentContext()
  const counters = await startCounters(lifecycle, config, currentContext())
  const rateLimiter = new RateLimiter({ counters, clock, metrics, limits: config.limits.perMinute })
  const admission = createAdmission({
    ...config.limits,
    permits: config.postgres.poolSize,
    networkMs: () => currentContext().store.roundTrips().networkMs,
    metrics,
  })
  const heapBytes = getHeapStatistics().heap_size_limit
  const bodyMemory = createBodyMemory(cairnContract().routes, { ...config.limits, heapBytes, metrics })
  const server = await lifecycle.start('api', () =>
    createServer({
      operations,
      currentContext,
      host,
      port,
      adminKey,
      tls,
      trustProxy,
      corsOrigins,
      accessLog,
      limits: { stopTimeoutMs: config.shutdownTimeoutMs },
      rateLimiter,
      admission,
      bodyMemory,
      endpoints: [createMcpEndpoint({ version, ...config.mcp })],
      sites: [createDocsSite(), createIconSite()],
    }),
  )
  const listening = await lifecycle.start(
    'api listener',
    () => server.start(),
    () => server.stop(),
  )
  return urlOf(tls ? 'https' : 'http', host, listening.port)
}

/** Returns counters that all processes with the same Redis share; without Redis they belong to this process alone. */
async function startCounters(
  lifecycle: Lifecycle,
  { queue: { redisUrl: url, prefix }, limits: { gateway: rates } }: Config,
  { logger, metrics }: ServiceContext,
): Promise<Counters> {
  if (url === null) return createMemoryCounters(rates)
  const { counters } = await lifecycle.start(
    'limiters',
    async () => {
      const inRedis = new RedisCounters({ url, prefix, rates, logger, metrics })
      await inRedis.start()
      return inRedis
    },
    (part) => part.stop(),
  )
  return counters
}

/**
 * Returns the URL at which this machine reaches the host: an address that listens everywhere is reached by loopback.
 */
function urlOf(scheme: 'http' | 'https', host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${reached}:${port}`
}
