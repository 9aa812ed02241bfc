import { pino, type Logger } from 'pino'

export type { Logger }

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** JSON lines on stderr: stdout belongs to what a command prints. Ids and sizes only, never texts, queries or keys. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, redact: ['req.headers', 'headers', 'config'] },
    pino.destination({ dest: 2, sync: false }),
  )
}
