import { createConfig, processEnvironment, readEnv } from '../../runtime/config.js'
import { onStopSignal } from '../../runtime/lifecycle.js'
import { createLogger, type Logger } from '../../runtime/logger.js'
import { QUEUES, isQueueName, type QueueName } from '../../workers/jobs.js'
import { banner } from '../banner.js'
import type { Service, ServiceRole } from '../compose.js'
import { CommandError } from '../failure.js'

const SIGNAL_CODES: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143 }

/**
 * Runs a process of the service until it is asked to stop, and resolves to its exit code: 0 after a clean stop, 1 when it
 * could not go on. A second signal ends it at once.
 */
export async function runProcess(role: ServiceRole, queueNames: readonly string[] = QUEUES): Promise<number> {
  const queues = readQueues(queueNames)
  const config = createConfig(readEnv(processEnvironment()), role)
  const logger = createLogger(config.logLevel)
  // Only now: a wrong setting is told at once, not after a second of loading.
  const { startService } = await import('../compose.js')
  const stopping = new AbortController()
  const signals = onStopSignal((signal) => process.exit(SIGNAL_CODES[signal] ?? 1))
  void signals.received.then(() => stopping.abort())
  try {
    const service = await startService(config, { role, queues, logger, signal: stopping.signal })
    announce(service, role, logger)
    const reason = await Promise.race([signals.received, service.failed])
    return await stop(service, reason, config.shutdownTimeoutMs, logger)
  } catch (error) {
    if (stopping.signal.aborted) return 0
    throw error
  } finally {
    signals.release()
  }
}

function readQueues(names: readonly string[]): QueueName[] {
  const unknown = names.find((name) => !isQueueName(name))
  if (unknown === undefined) return names.filter(isQueueName)
  throw new CommandError(`--queues knows ${QUEUES.join(', ')}, not "${unknown}".`, 2)
}

function announce(service: Service, role: ServiceRole, logger: Logger): void {
  if (role === 'serve') console.log(banner(service))
  const { url, metricsUrl, adminKey, context } = service
  logger.info({ role, url, metricsUrl, index: context.index.engine, embedder: context.embedder.id }, 'ready')
  if (role !== 'worker' && adminKey === null)
    logger.warn('ADMIN_API_KEY is not set: nobody can mint keys or use the admin routes')
}

/** Parts have time limits of their own; this one is for a part that breaks its. */
const GRACE_MS = 15_000

async function stop(service: Service, reason: string, timeoutMs: number, logger: Logger): Promise<number> {
  const asked = reason in SIGNAL_CODES
  if (asked) logger.info({ signal: reason }, 'stopping')
  else logger.fatal({ reason }, 'cannot go on, stopping')
  const overdue = setTimeout(() => {
    logger.fatal('a part does not stop: ending the process')
    process.exit(1)
  }, timeoutMs + GRACE_MS)
  await service.stop()
  clearTimeout(overdue)
  logger.info('stopped')
  // Nothing is left to wait for. Unreferenced, so it only comes to act when something leaked.
  setTimeout(() => process.exit(), 2_000).unref()
  return asked ? 0 : 1
}
