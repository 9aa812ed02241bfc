import { isatty } from 'node:tty'
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { prettyFactory } from 'pino-pretty'

export type { Logger }

/** The part of a logger that clients of other services use; they log no texts and no keys. */
export interface ClientLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Which requests are logged beside those that fail or are slow: those that were refused, all, or none. */
export const ACCESS_LOGS = ['refusals', 'all', 'off'] as const
export type AccessLogged = (typeof ACCESS_LOGS)[number]

const STDERR = 2

/**
 * Creates a logger to stderr: stdout belongs to what a command prints. Lines are JSON, or formatted on a terminal. They
 * contain ids and sizes only, never texts, queries or keys. `onClosed` is called when nobody reads stderr any more;
 * later lines are lost. `onLine` is called for each line with its level.
 */
export function createLogger(level: LogLevel, onClosed?: () => void, onLine?: (level: string) => void): Logger {
  const hooks: LoggerOptions['hooks'] = {
    logMethod(line, log, number) {
      onLine?.(pino.levels.labels[number] ?? 'unknown')
      log.apply(this, line)
    },
  }
  return pino({ level, base: null, redact: ['req.headers', 'headers', 'config'], hooks }, createStderr(onClosed))
}

function createStderr(onClosed: (() => void) | undefined): DestinationStream {
  const isTerminal = isatty(STDERR)
  // Synchronous on a terminal, to keep the order with what is printed to it.
  const stderr = pino.destination({ dest: STDERR, sync: isTerminal })
  stderr.on('error', () => {
    // A later write, or the flush at the end of the process, would fail again, and throw.
    Object.assign(stderr, {
      write: () => true,
      flush: () => undefined,
      flushSync: () => undefined,
      end: () => undefined,
    })
    onClosed?.()
  })
  if (!isTerminal) return stderr
  const format = terminalFormat()
  return { write: (line) => void stderr.write(format(line)) }
}

/** Returns what makes of a JSON line the one that a terminal shows. */
export function terminalFormat(): (line: string) => string {
  return prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true })
}
