import { parseApiKey } from '../domain/api-key.js'
import type { ClientConfig } from '../runtime/config.js'
import { CommandError } from './failure.js'
import { readKeyFile } from './key-files.js'

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

/** The running service, spoken to with one key. */
export interface ServiceClient {
  /** Where it answers. */
  readonly url: string
  /** Throws ServiceRefusal for a failure in the envelope and CommandError when nothing answers. */
  call<T = unknown>(path: string, request?: ServiceRequest): Promise<ServiceAnswer<T>>
}

export class ServiceRefusal extends CommandError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Seconds, when the service said so. */
    readonly retryAfter: number | null,
  ) {
    super(`${code}: ${message}`)
  }
}

/** Nothing answered: the service is away, starting or gone. */
export class NoAnswer extends CommandError {}

export function createServiceClient(url: string, key: string): ServiceClient {
  return {
    url,
    async call<T>(path: string, { method = 'GET', query = {}, body, headers = {} }: ServiceRequest = {}) {
      const target = new URL(url + path)
      for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value)
      const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const response = await fetch(target, {
        method,
        headers: { 'X-API-Key': key, ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        throw noAnswer(url, error)
      })
      const text = await response.text().catch((error: unknown) => {
        throw noAnswer(url, error)
      })
      const answer = parse(text)
      if (!response.ok) throw refusalOf(response, answer)
      return { status: response.status, body: answer as T, headers: response.headers }
    },
  }
}

/**
 * The key that was given, else CAIRN_API_KEY, ADMIN_API_KEY and the files of DATA_DIR, as far as they fit `kind`: a minted key in
 * CAIRN_API_KEY stands back for the admin's.
 */
export async function findKey(
  config: ClientConfig,
  given: string | undefined,
  kind: 'admin' | 'agent',
): Promise<string> {
  if (given) return given
  const own = config.apiKey
  if (own && (kind === 'agent' || parseApiKey(own) === null)) return own
  if (kind === 'admin' && config.adminApiKey !== null) return config.adminApiKey
  const kept = await readKeyFile(config.dataDir, kind === 'admin' ? 'admin-key' : 'agent-key')
  if (kept !== null) return kept
  if (own) return own
  const what = kind === 'admin' ? 'the admin key' : 'an API key'
  throw new CommandError(`${what} is needed: give --key, set CAIRN_API_KEY, or run where DATA_DIR is the service's.`)
}

function noAnswer(url: string, error: unknown): NoAnswer {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause
  const why = cause?.code ?? cause?.message ?? (error as Error).message
  return new NoAnswer(`no service answers at ${url} (${why}). Start it with \`npm start\`, or set CAIRN_URL.`)
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return null
  }
}

function refusalOf(response: Response, answer: unknown): ServiceRefusal {
  const error = (answer as { error?: { code?: string; message?: string } } | null)?.error
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN)
  return new ServiceRefusal(
    response.status,
    error?.code ?? `HTTP_${response.status}`,
    error?.message ?? response.statusText,
    Number.isFinite(retryAfter) ? retryAfter : null,
  )
}
