import type { IncomingHttpHeaders } from 'node:http'
import type { Trust } from '../domain/trust.js'
import type { Answer } from './errors.js'
import { BESIDE_CONTRACT, type Route } from './validation/routes.js'

/** Carries what a REST request of the operation would. */
export interface OperationRequest {
  readonly operationId: string
  /** Percent-encoded values of the path by name. */
  readonly params: Readonly<Record<string, string>>
  /** Percent-encoded query without its question mark. */
  readonly query: string
  /** Header values by lower-case name; the credential is that of the message. */
  readonly headers: IncomingHttpHeaders
  /** Undefined for an operation without a body. */
  readonly body: object | undefined
}

/** Runs an operation for the caller of a message, and returns what REST would answer, errors included. */
export type CallOperation = (request: OperationRequest) => Promise<Answer>

/** A request to an endpoint: its credential was accepted, its body is a JSON object. */
export interface EndpointRequest {
  readonly message: Readonly<Record<string, unknown>>
  /** Header values by lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** The tenant of the key; null for the admin credential. */
  readonly tenantId: string | null
  /** Returns the trust that operations are called with. Rejects with ForbiddenError when the key may not act for the agent that is named. */
  readonly trust: () => Promise<Trust>
  /** Aborted at the deadline and when the caller disconnects. */
  readonly signal: AbortSignal
}

/** A path beside those of the contract that takes messages, each a JSON object, from callers with a key. Its messages call operations. */
export interface MessageEndpoint {
  readonly path: string
  /** Names it in the log and in the metrics. */
  readonly name: string
  /** Refuses a request for its headers alone, before its key is looked up. Throws HttpError. */
  checkHeaders(headers: IncomingHttpHeaders): void
  answer(request: EndpointRequest, callOperation: CallOperation): Promise<Answer>
  /** Returns a refusal by the transport, whose body is REST's envelope, in the form of the endpoint's protocol. `message` is null before it is read. */
  refusalOf(answer: Answer, message: Readonly<Record<string, unknown>> | null): Answer
}

/** Most bytes of a message. Bulk operations take more over REST: a model does not write so much. */
const MESSAGE_LIMIT_BYTES = 1_048_576
/**
 * Milliseconds for a message: the 90 s of the slowest operation, and 30 to receive the message and wait for memory and a permit. The
 * operation's own deadline passes first, so that a tool answers with its error.
 */
const MESSAGE_DEADLINE_MS = 120_000

/** Returns the route that an endpoint's requests are limited and admitted by. */
export function routeOfEndpoint({ name, path }: MessageEndpoint): Route {
  return {
    ...BESIDE_CONTRACT,
    rateLimiting: 'messages',
    operationId: name,
    method: 'POST',
    path,
    security: 'apiKey',
    takesBody: true,
    bodyLimitBytes: MESSAGE_LIMIT_BYTES,
    deadlineMs: MESSAGE_DEADLINE_MS,
  }
}
