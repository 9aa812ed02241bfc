import { outageMessage, type Dependency, type OutageReason } from './outage-reasons.js'

export interface ErrorOptions {
  readonly details?: Record<string, unknown> | undefined
  readonly retryAfterS?: number | undefined
  readonly cause?: unknown
}

/**
 * The base of all errors that callers get to see: their messages and details contain nothing else. Each transport says
 * what its protocol makes of the classes; for HTTP, `http/errors.ts` does.
 */
export abstract class CairnError extends Error {
  readonly details: Record<string, unknown> | undefined
  /** Seconds after which the same call may succeed; undefined when waiting alone does not help. */
  readonly retryAfterS: number | undefined
  constructor(message: string, { details, retryAfterS, cause }: ErrorOptions = {}) {
    super(message, { cause })
    this.name = new.target.name
    this.details = details
    this.retryAfterS = retryAfterS
  }
}

/** A value of an operation's input that breaks a rule. `path` leads to it, and is empty for the input as a whole. */
export interface Fault {
  readonly path: readonly string[]
  readonly msg: string
  readonly type: string
  readonly input?: unknown
  readonly ctx?: Record<string, unknown>
}

export class InvalidArgumentsError extends CairnError {
  constructor(readonly faults: readonly Fault[]) {
    super(summaryOf(faults))
  }
  static at(path: readonly string[], msg: string, type = 'value_error', input?: unknown): InvalidArgumentsError {
    return new InvalidArgumentsError([{ path, msg, type, ...(input === undefined ? {} : { input }) }])
  }
}

/** Largest number of faults that a message names. */
const MAX_NAMED_FAULTS = 5

/** Returns the message for a list of faults. */
export function summaryOf(faults: readonly Pick<Fault, 'path' | 'msg'>[]): string {
  const named = faults
    .slice(0, MAX_NAMED_FAULTS)
    .map(({ path, msg }) => [path.join('.'), msg].filter(Boolean).join(': '))
  const others = faults.length - named.length
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
}

/** An idempotency key that was used for another request before. */
export class IdempotencyMismatchError extends CairnError {
  constructor() {
    super('This key was used with a different body before.')
  }
}

export class TrustError extends CairnError {
  constructor(required: number, caller: number, message = `This needs trust level ${required}; yours is ${caller}.`) {
    super(message, { details: { required_trust_level: required, caller_trust_level: caller } })
  }
}

export class ForbiddenError extends CairnError {}

export class NotFoundError extends CairnError {
  constructor(what: string) {
    super(`${what} not found.`)
  }
}

/** A request that what is stored, or another request in progress, does not allow. */
export class ConflictError extends CairnError {}

/** The tenant has used up what it may store. */
export class QuotaError extends CairnError {}

/** The tenant has written in bulk faster than its changes are indexed; nothing was written. */
export class BacklogError extends CairnError {}

/** The work took longer than it may. */
export class TimeoutError extends CairnError {}

/**
 * A dependency of this process is unavailable, late or takes no writes: an outage, never the caller's or an item's
 * fault.
 */
export class UnavailableError extends CairnError {
  constructor(
    readonly dependency: Dependency,
    cause?: unknown,
    readonly reason: OutageReason = 'unreachable',
  ) {
    super(outageMessage(dependency, reason), { retryAfterS: 1, cause })
  }
}

/** A setting that prevents the start; the message names the variable and what to do. */
export class ConfigError extends Error {
  constructor(
    readonly variable: string,
    advice: string,
    cause?: unknown,
  ) {
    super(`${variable}: ${advice}`, { cause })
    this.name = 'ConfigError'
  }
}
