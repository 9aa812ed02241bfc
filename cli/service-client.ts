import { parseApiKey } from '../domain/api-key.js'
import { CommandError } from './failure.js'
import { printable } from './printable.js'
import { describeRefusal, type Refusal } from './refusals.js'

interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The agent that a tenant key acts for. */
  readonly actingAgent?: string | undefined
  /** Makes a write that is sent several times one write. */
  readonly idempotencyKey?: string
  /** Cancels the request, which then rejects like one that nothing answers. */
  readonly signal?: AbortSignal | undefined
}

interface RawRequest {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

interface ServiceAnswer<T> {
  readonly body: T
  /** True for the stored answer of an earlier request with the same idempotency key. */
  readonly isReplay: boolean
}

/** A client of the running service with one key. */
export interface ServiceClient {
  /** Base URL of the service. */
  readonly url: string
  /** True when the key is the admin credential, which belongs to no tenant. */
  readonly isAdmin: boolean
  /** Returns any answer, refusals included. Throws CommandError when nothing answers, and for a redirect. */
  send(path: string, request: RawRequest): Promise<Response>
  /** Throws ServiceRefusal for an error answer and CommandError when nothing answers. */
  call<T = unknown>(path: string, request?: ServiceRequest): Promise<ServiceAnswer<T>>
}

export class ServiceRefusal extends CommandError {
  constructor(
    message: string,
    /** True when the same request may succeed later. */
    readonly isTemporary: boolean,
    /** Seconds that the service asks to wait; null when it does not say. */
    readonly retryAfterS: number | null,
    /** Code of the error, such as NOT_FOUND. */
    readonly code: string,
  ) {
    super(message)
  }
}

/** Thrown when nothing answers: the service is unavailable, starting or stopped. */
export class NoAnswerError extends CommandError {}

/**
 * Creates a client that sends the key to `url` alone: a redirect is an error. Throws CommandError for a key that cannot
 * be sent.
 */
export function createServiceClient(url: string, key: string): ServiceClient {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('the API key contains characters that no key has.', 2)
  async function send(path: string, { body, headers, ...request }: RawRequest): Promise<Response> {
    const response = await fetch(new URL(url + path), {
      ...request,
      redirect: 'manual',
      headers: { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw noAnswerError(url, error)
    })
    if (response.status >= 300 && response.status < 400 && response.status !== 304) throw redirectError(url, response)
    return response
  }
  return {
    url,
    isAdmin: parseApiKey(key) === null,
    send,
    async call<T>(path: string, { method = 'GET', query = {}, body, ...request }: ServiceRequest = {}) {
      const given = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value)
      const response = await send(given.size === 0 ? path : `${path}?${given}`, {
        method,
        body,
        signal: request.signal,
        headers: {
          ...(request.actingAgent !== undefined && { 'X-Agent-ID': request.actingAgent }),
          ...(request.idempotencyKey !== undefined && { 'Idempotency-Key': request.idempotencyKey }),
        },
      })
      const text = await response.text().catch((error: unknown) => {
        throw noAnswerError(url, error)
      })
      const answer = parse(text)
      if (!response.ok) throw refusalOf(response, answer)
      return { body: answer as T, isReplay: response.headers.get('idempotent-replayed') === 'true' }
    },
  }
}

function noAnswerError(url: string, error: unknown): NoAnswerError {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause
  const why = cause?.code ?? cause?.message ?? (error as Error).message
  return new NoAnswerError(`no service answers at ${url} (${why}). Start it with \`npm start\`, or set CAIRN_URL.`)
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return null
  }
}

function redirectError(url: string, response: Response): CommandError {
  const target = printable(response.headers.get('location') ?? 'nowhere')
  return new CommandError(
    `${url} redirects to ${target} (${response.status}), and the key is only sent to the given address. ` +
      'If that is the service, give its address with --url or CAIRN_URL.',
  )
}

/** Statuses of a service that is busy or unavailable. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504])

function refusalOf({ status, statusText, headers }: Response, answer: unknown): ServiceRefusal {
  const error = (answer as { error?: Refusal } | null)?.error
  const retryAfterS = Number(headers.get('retry-after') ?? NaN)
  const isTimed = Number.isFinite(retryAfterS)
  // A conflict with another request that is still in progress says when to try again; other conflicts stay.
  const isTemporary = TEMPORARY.has(status) || (status === 409 && isTimed)
  const refusal = { code: `HTTP_${status}`, message: statusText, ...error }
  return new ServiceRefusal(describeRefusal(refusal), isTemporary, isTimed ? retryAfterS : null, refusal.code)
}
