import { CairnError, UnavailableError } from '../runtime/errors.js'
import type { OutageReason } from '../runtime/outage-reasons.js'

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])
/** Admin shutdown, crash shutdown, cannot connect now, too many connections, out of memory. */
const AWAY = new Set(['57P01', '57P02', '57P03', '53300', '53200', '25P03'])
const TAKES_NO_WRITES: ReadonlyMap<string, OutageReason> = new Map([
  ['53100', 'disk_full'],
  ['25006', 'read_only'],
])
const STATEMENT_TIMEOUT = '57014'
const LOST = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/

/**
 * The same work may be tried again: deadlock, serialization failure, a foreign key whose row a purge has just removed, and a
 * unique key that another transaction has just taken (tried again, the work sees that it is gone or taken).
 */
export function isTransient(error: unknown): boolean {
  return ['40P01', '40001', '23503', '23505'].includes(codeOf(error))
}

/** Postgres' own failures as the service's: an outage is 503, a cancelled statement 504, anything else stays what it is. */
export function translate(error: unknown): unknown {
  if (error instanceof CairnError) return error
  const code = codeOf(error)
  if (code === STATEMENT_TIMEOUT) return new CairnError(504, 'The database took too long to answer.', { cause: error })
  const reason = TAKES_NO_WRITES.get(code)
  if (reason !== undefined) return new UnavailableError('postgres', error, reason)
  const lost = NETWORK.has(code) || AWAY.has(code) || code.startsWith('08')
  if (lost || (error instanceof Error && LOST.test(error.message))) return new UnavailableError('postgres', error)
  return error
}

const NONE_FREE = 'timeout exceeded when trying to connect'
const NOT_CONNECTED = 'Connection terminated due to connection timeout'
/** A timer of a process that keeps up is a few milliseconds late. */
const STALLED_MS = 250

/**
 * Translates a failure to get a connection that came `lateMs` after its time limit. Postgres is not said to be away when every connection was
 * in use, nor when this process was so busy that it would not have heard the answer.
 */
export function translateConnecting(error: unknown, lateMs: number): unknown {
  const message = error instanceof Error ? error.message : ''
  const isBusy = message === NONE_FREE || (message === NOT_CONNECTED && lateMs > STALLED_MS)
  return isBusy ? new UnavailableError('postgres', error, 'busy') : translate(error)
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
