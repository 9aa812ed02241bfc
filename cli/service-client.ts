import { parseApiKey } from '../domain/api-key.js'
import { CommandError } from './failure.js'
import { printable } from './printable.js'
import { describeRefusal } from './refusals.js'

export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface ServiceAnswer<T> {
  readonly status: number
  readonly body: T
  readonly headers: Headers
}

/** A client of the running service with one key. */
export interface ServiceClient {
  /** Base URL of the service. */
  readonly url: string
  /** True when the key is the admin credential, which belongs to no tenant. */
  readonly isAdmin: boolean
  /** Throws ServiceRefusal for an error answer and CommandError when nothing answers. */
  call<T = unknown>(path: string, request?: ServiceRequest): Promise<ServiceAnswer<T>>
}

export class ServiceRefusal extends CommandError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds; null when the service gave no Retry-After. */
    readonly retryAfter: number | null,
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
  return {
    url,
    isAdmin: parseApiKey(key) === null,
    async call<T>(path: string, { method = 'GET', query = {}, body, headers = {} }: ServiceRequest = {}) {
      const target = new URL(url + path)
      for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value)
      const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const response = await fetch(target, {
        method,
        redirect: 'manual',
        headers: { 'X-API-Key': key, ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        throw noAnswerError(url, error)
      })
      const text = await response.text().catch((error: unknown) => {
        throw noAnswerError(url, error)
      })
      if (response.status >= 300 && response.status < 400) throw redirectError(url, response)
      const answer = parse(text)
      if (!response.ok) throw refusalOf(response, answer)
      return { status: response.status, body: answer as T, headers: response.headers }
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

function refusalOf(response: Response, answer: unknown): ServiceRefusal {
  const error = (answer as { error?: { code?: string } } | null)?.error
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN)
  return new ServiceRefusal(
    response.status,
    error?.code ?? `HTTP_${response.status}`,
    describeRefusal(error, response.status, response.statusText),
    Number.isFinite(retryAfter) ? retryAfter : null,
  )
}
