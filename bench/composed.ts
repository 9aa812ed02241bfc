import { randomBytes } from 'node:crypto'
import type { ServiceContext } from '../services/context.js'
import { startService as compose } from '../app/compose.js'
import type { Clock } from '../runtime/clock.js'
import { createConfig, readEnv } from '../runtime/config.js'
import { createLogger } from '../runtime/logger.js'
import { QUEUES } from '../workers/job.js'
import type { Cleanup } from './cleanup.js'
import { createHttpClient } from './http-client.js'
import type { BenchEnvironment } from './environment.js'
import { type ServiceAccess, UNLIMITED } from './service.js'

/** The whole service in this process, for benches that set the clock or call recall directly. */
export interface ComposedService extends ServiceAccess {
  /** The context of its operations. */
  readonly context: ServiceContext
  stop(): Promise<void>
}

/** A clock that shows this machine's time until it is moved, and continues from there. */
export interface BenchClock extends Clock {
  /** Sets the time, Unix milliseconds. */
  moveTo(time: number): void
}

export function createBenchClock(): BenchClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    moveTo(time) {
      ahead = time - Date.now()
    },
  }
}

/**
 * Starts the api and the workers with the program's own composition root, on a free port; they are stopped at the end
 * of the run at the latest.
 */
export async function startComposed(
  environment: BenchEnvironment,
  cleanup: Cleanup,
  clock: Clock,
): Promise<ComposedService> {
  const adminKey = `bench-${randomBytes(24).toString('hex')}`
  const settings = { ...UNLIMITED, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'error', ADMIN_API_KEY: adminKey }
  const config = createConfig(readEnv({ ...environment.env, ...settings }))
  const service = await compose(config, {
    role: 'serve',
    queues: QUEUES,
    logger: createLogger(config.logLevel),
    clock,
  })
  const client = createHttpClient(service.url!)
  let stopped: Promise<void> | undefined
  const stop = () => {
    client.close()
    return (stopped ??= service.stop())
  }
  cleanup.add(stop)
  return { client, adminKey, context: service.context, stop }
}
