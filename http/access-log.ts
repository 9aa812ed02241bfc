import { counted } from '../runtime/counted.js'
import type { AccessLogged } from '../runtime/logger.js'
import { codeOf, failureForLog } from './errors.js'
import { SpentKeyError } from './auth.js'
import { networkOf } from './limits/caller-address.js'
import type { OperationCall } from './operation-call.js'
import type { TransportContext } from './operation.js'

interface AccessLogOptions {
  readonly currentContext: () => Pick<TransportContext, 'clock' | 'logger'>
  readonly logged: AccessLogged
  /** Milliseconds from which a request is logged at level info. */
  readonly slowMs: number
}

/**
 * Most lines a minute of one kind, to one tenant or to all callers without an accepted key: a flood of theirs writes no more than some 10 KB
 * of each kind.
 */
const MOST_LINES = 30
const WINDOW_MS = 60_000

/** The kinds of lines at level info and above, but for status 500, which is a defect. */
const KINDS = {
  refused: { level: 'info', message: 'request refused', more: 'more refusal' },
  unanswered: { level: 'warn', message: 'request not answered', more: 'more unanswered request' },
  slow: { level: 'info', message: 'slow request', more: 'more slow request' },
  other: { level: 'info', message: 'request', more: 'more request' },
} as const
type Kind = keyof typeof KINDS

/** Statuses of callers that may not do what they asked for, or not now. */
const REFUSALS: readonly number[] = [401, 403, 429]

type Line = ReturnType<typeof lineOf>

/** Lines of one kind about one caller in the present window. */
interface Tally {
  readonly kind: Kind
  readonly fields: Partial<Line>
  lines: number
  leftOut: number
}

/**
 * Writes one line for each request and each call of a tool, with ids alone: never a path as it was sent, a query, a body or a key. Lines that
 * a caller could fill the disk with are bounded by the minute. What was left out is counted in a line that is written with the first request
 * after that minute, and when the server stops.
 */
export class AccessLog {
  #since = 0
  readonly #tallies = new Map<string, Tally>()

  constructor(private readonly options: AccessLogOptions) {}

  write(call: OperationCall, { status, ms, failure }: { status: number; ms: number; failure: unknown }): void {
    const { logger, clock } = this.options.currentContext()
    const now = clock.now()
    // A clock that was set back ends the window too.
    if (now < this.#since || now >= this.#since + WINDOW_MS) this.#begin(now)
    const line = lineOf(call, status, ms, failure)
    if (status === 500) return logger.error({ ...line, failure: failureForLog(failure) }, 'request failed')
    const kind = this.#kindOf(call, line)
    if (kind === null || !this.#admits(kind, line)) return logger.debug(line, 'request')
    const { level, message } = KINDS[kind]
    logger[level](kind === 'unanswered' ? { ...line, failure: failureForLog(failure) } : line, message)
  }

  /** Writes what was left out and not yet told. */
  end(): void {
    this.#begin(this.#since)
  }

  #kindOf({ isQuiet }: OperationCall, { status, ms }: Line): Kind | null {
    const { logged, slowMs } = this.options
    if (status > 500) return 'unanswered'
    if (logged !== 'off' && REFUSALS.includes(status)) return 'refused'
    if (ms >= slowMs) return 'slow'
    return logged === 'all' && !isQuiet ? 'other' : null
  }

  /** Counts the line. Returns false when it has to be left out; a caller with a key has all of its lines but those of refusals. */
  #admits(kind: Kind, line: Line): boolean {
    const { status, code, tenantId, keyId } = line
    if (kind !== 'refused' && keyId !== undefined) return true
    const name = JSON.stringify([kind, kind === 'refused' && status, tenantId ?? keyId])
    const fields = { ...(kind === 'refused' && { status, code }), ...(tenantId !== undefined && { tenantId }) }
    const tally: Tally = this.#tallies.get(name) ?? { kind, fields, lines: 0, leftOut: 0 }
    this.#tallies.set(name, tally)
    if (tally.lines < MOST_LINES) return ++tally.lines > 0
    tally.leftOut++
    return false
  }

  #begin(now: number): void {
    const { logger } = this.options.currentContext()
    const since = new Date(this.#since).toISOString()
    for (const { kind, fields, leftOut } of this.#tallies.values()) {
      if (leftOut === 0) continue
      const { level, more } = KINDS[kind]
      logger[level]({ ...fields, since, leftOut }, counted(leftOut, more))
    }
    this.#tallies.clear()
    this.#since = now
  }
}

/** Describes a call. Every value is the service's own, or was checked against a pattern that has no white space and no control character. */
function lineOf(call: OperationCall, status: number, ms: number, failure: unknown) {
  const { requestId, method, operationId, routePath, address } = call
  const { tenantId, agentId, keyId } = failure instanceof SpentKeyError ? failure.credential : call
  return {
    requestId,
    method,
    operationId,
    ...(routePath !== null && { route: routePath }),
    status,
    ...(status >= 400 && { code: codeOf(status) }),
    ms,
    ...(tenantId !== null && { tenantId }),
    ...(agentId !== null && { agentId }),
    ...(keyId !== null && { keyId }),
    address: networkOf(address),
  }
}
