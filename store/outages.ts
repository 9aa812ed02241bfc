import { CairnError, TimeoutError, UnavailableError } from '../runtime/errors.js'
import type { OutageReason } from '../runtime/outage-reasons.js'

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
/**
 * Admin shutdown, crash shutdown, cannot connect now, too many connections, out of memory, idle in transaction for too
 * long.
 */
const UNAVAILABLE_CODES = new Set(['57P01', '57P02', '57P03', '53300', '53200', '25P03'])
const WRITE_FAULT_CODES: ReadonlyMap<string, OutageReason> = new Map([
  ['53100', 'disk_full'],
  ['25006', 'read_only'],
])
const STATEMENT_TIMEOUT = '57014'
const LOST_CONNECTION =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/

/**
 * Returns true when a transaction may be retried: after a deadlock, a serialization failure, a foreign key whose row a
 * purge has just removed, or a unique key that another transaction has just taken (the retry sees that it is gone or
 * taken).
 */
export function isTransient(error: unknown): boolean {
  return ['40P01', '40001', '23503', '23505'].includes(codeOf(error))
}

/**
 * Translates errors of PostgreSQL into the service's: an outage becomes UnavailableError, a cancelled statement
 * TimeoutError; other errors are returned unchanged.
 */
export function translate(error: unknown): unknown {
  if (error instanceof CairnError) return error
  const code = codeOf(error)
  if (code === STATEMENT_TIMEOUT) return new TimeoutError('The database took too long to answer.', { cause: error })
  const reason = WRITE_FAULT_CODES.get(code)
  if (reason !== undefined) return new UnavailableError('postgres', error, reason)
  const lost = NETWORK_CODES.has(code) || UNAVAILABLE_CODES.has(code) || code.startsWith('08')
  if (lost || (error instanceof Error && LOST_CONNECTION.test(error.message)))
    return new UnavailableError('postgres', error)
  return error
}

const POOL_TIMEOUT = 'timeout exceeded when trying to connect'
const CONNECT_TIMEOUT = 'Connection terminated due to connection timeout'
/** Lateness of a timer that shows a stalled process: in one that keeps up it is a few milliseconds. */
const STALLED_MS = 250

/**
 * Translates a failure to get a connection that came `lateMs` after its time limit. PostgreSQL is not reported as
 * unavailable when every connection was in use, nor when this process was too busy to read the response.
 */
export function translateConnecting(error: unknown, lateMs: number): unknown {
  const message = error instanceof Error ? error.message : ''
  const isBusy = message === POOL_TIMEOUT || (message === CONNECT_TIMEOUT && lateMs > STALLED_MS)
  return isBusy ? new UnavailableError('postgres', error, 'busy') : translate(error)
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
