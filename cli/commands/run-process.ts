import { setFlagsFromString } from 'node:v8'
import { createConfig, processEnvironment, readEnv } from '../../runtime/config.js'
import { onStopRequest } from '../../runtime/lifecycle.js'
import { createLogger, type Logger } from '../../runtime/logger.js'
import { createMetrics } from '../../runtime/metrics.js'
import { unknownSettings } from '../../runtime/unknown-settings.js'
import { QUEUES, isQueueName, type QueueName } from '../../workers/job.js'
import { banner } from '../banner.js'
import type { Service, ServiceRole } from '../../app/compose.js'
import { CommandError } from '../failure.js'

/**
 * Growth of the heap, in percent of what was alive at the last collection, after which `serve` collects garbage. By its own choice V8 waits for up
 * to 300, which is right for a server; this process shares a laptop with others. `bench soak` measures it.
 */
const SERVE_HEAP_GROWTH = 50

const SIGNAL_CODES: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143 }

/**
 * Runs a process of the service until it is asked to stop, by a signal or because its terminal or the reader of its
 * output is gone. Resolves to the exit code: 0 after a clean stop, 1 when it could not continue. A second SIGINT or
 * SIGTERM, half a second later or more, ends it at once.
 */
export async function runProcess(role: ServiceRole, queueNames: readonly string[] = QUEUES): Promise<number> {
  // All files that this process or its children create contain texts or keys.
  process.umask(0o077)
  if (role === 'serve') setFlagsFromString(`--heap-growing-percent=${SERVE_HEAP_GROWTH}`)
  const queues = readQueues(queueNames)
  const environment = processEnvironment()
  const config = createConfig(readEnv(environment), role)
  const requested = onStopRequest((signal) => process.exit(SIGNAL_CODES[signal] ?? 1))
  const onOutputClosed = () => requested.ask('output closed')
  for (const output of [process.stdout, process.stderr]) output.on('error', onOutputClosed)
  const metrics = createMetrics()
  const logger = createLogger(config.logLevel, onOutputClosed, (level) => metrics.logged(level))
  for (const { name, suggestion } of unknownSettings(environment))
    logger.warn(`unknown setting ${name} is ignored${suggestion === null ? '' : `; did you mean ${suggestion}?`}`)
  // Imports late, so that a wrong setting is reported at once, not after a second of loading.
  const { startService } = await import('../../app/compose.js')
  const stopping = new AbortController()
  void requested.received.then(() => stopping.abort())
  try {
    const service = await startService(config, { role, queues, logger, metrics, signal: stopping.signal })
    announce(service, role, logger)
    const asked = requested.received.then((reason) => ({ reason, code: 0 }))
    const failed = service.failed.then((reason) => ({ reason, code: 1 }))
    const limitMs = config.shutdownTimeoutMs + GRACE_MS
    return await stopService(service, await Promise.race([asked, failed]), { limitMs, logger })
  } catch (error) {
    if (stopping.signal.aborted) return 0
    throw error
  } finally {
    requested.release()
  }
}

function readQueues(names: readonly string[]): QueueName[] {
  const unknown = names.find((name) => !isQueueName(name))
  if (unknown === undefined) return names.filter(isQueueName)
  throw new CommandError(`--queues: unknown queue "${unknown}"; the queues are ${QUEUES.join(', ')}.`, 2)
}

function announce(service: Service, role: ServiceRole, logger: Logger): void {
  const { url, metricsUrl, adminKey, context } = service
  logger.info({ role, url, metricsUrl, index: context.index.engine, embedder: context.embedder.id }, 'ready')
  if (role !== 'worker' && adminKey === null)
    logger.warn('ADMIN_API_KEY is not set: nobody can create keys or use the admin routes')
  // Prints after all log lines of the start, so that the keys are seen.
  if (role === 'serve') console.log(banner(service))
}

/** Time beyond the limits that the parts have themselves, before a part that does not stop is abandoned. */
const GRACE_MS = 15_000

interface StopCause {
  readonly reason: string
  readonly code: number
}

interface StopOptions {
  /** Milliseconds after which the process ends all the same. */
  readonly limitMs: number
  readonly logger: Logger
  readonly exit?: (code?: number) => void
}

/** Stops the service and resolves to the exit code; ends the process with 1 and the name of the part where one does not stop. */
export async function stopService(
  service: Pick<Service, 'stop' | 'stopping'>,
  { reason, code }: StopCause,
  { limitMs, logger, exit = process.exit }: StopOptions,
): Promise<number> {
  if (code === 0) logger.info({ reason }, 'stopping')
  else logger.fatal({ reason }, 'cannot continue, stopping')
  const overdue = setTimeout(() => {
    logger.fatal({ part: service.stopping() }, 'a part does not stop: ending the process')
    exit(1)
  }, limitMs)
  await service.stop()
  clearTimeout(overdue)
  logger.info('stopped')
  // Nothing is left to wait for. The timer is unreferenced, so it fires only when something leaked.
  setTimeout(() => exit(), 2_000).unref()
  return code
}
