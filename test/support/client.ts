import type { components } from '../../contract/contract.gen.js'
import { cairnContract, type Contract } from '../../http/validation/contract.js'
import { isRateClass, type RateLimiting } from '../../http/limits/rate-class.js'
import type { AnswerOf, OperationId } from '../../api/operation.js'

type ErrorBody = components['schemas']['Error']['error']

/** The fields of a success and of a failure together: a test looks at `status` and knows which it has. */
type BodyOf<K extends OperationId> = NonNullable<AnswerOf<K>['body']> & FailureBody
interface FailureBody {
  readonly error: Omit<ErrorBody, 'details'> & { readonly details: Record<string, unknown> }
  readonly detail: string | components['schemas']['FieldError'][]
}

export interface ClientAnswer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface RawInput {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a path answers is not known by its type */
type AnyBody = any

export interface Client {
  /** Returns the same service with another key; null for none. */
  as(key: string | null): Client
  call<K extends OperationId>(operationId: K, input?: CallInput): Promise<ClientAnswer<BodyOf<K>>>
  get(path: string, query?: CallInput['query']): Promise<ClientAnswer<AnyBody>>
  post(path: string, body?: unknown, headers?: CallInput['headers']): Promise<ClientAnswer<AnyBody>>
  put(path: string, body?: unknown): Promise<ClientAnswer<AnyBody>>
  patch(path: string, body?: unknown): Promise<ClientAnswer<AnyBody>>
  delete(path: string, query?: CallInput['query']): Promise<ClientAnswer<AnyBody>>
  /** Sends a request as given: any method, path and body. */
  raw(method: string, path: string, input?: RawInput): Promise<ClientAnswer<AnyBody>>
}

interface ClientDefaults {
  readonly headers?: Readonly<Record<string, string>>
  /** The contract, when it is another than the service's own. */
  readonly contract?: Contract
}

/**
 * Creates a client that checks every answer against the contract: a status that the operation does not declare, a body
 * of another shape, or an answer without a request id is an error here, whatever the test looks at.
 */
export function createClient(baseUrl: string, key: string | null = null, defaults: ClientDefaults = {}): Client {
  const contract = defaults.contract ?? cairnContract()

  async function raw(method: string, path: string, { body, headers }: RawInput = {}): Promise<ClientAnswer<AnyBody>> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { ...(key !== null && { 'X-API-Key': key }), ...defaults.headers, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, body: text === '' ? undefined : parse(text) }
    checkAnswer(contract, method, path, answer)
    return answer
  }

  function json(method: string, path: string, input: CallInput): Promise<ClientAnswer<AnyBody>> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined) query.set(name, String(value))
    const target = query.size > 0 ? `${path}?${query}` : path
    if (input.body === undefined) return raw(method, target, { headers: input.headers })
    const headers = { 'Content-Type': 'application/json', ...input.headers }
    return raw(method, target, { body: JSON.stringify(input.body), headers })
  }

  function call(operationId: OperationId, input: CallInput = {}): Promise<ClientAnswer<AnyBody>> {
    const route = contract.routes.find((known) => known.operationId === operationId)
    if (!route) throw new Error(`${operationId} is not in the contract`)
    const path = route.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const value = input.params?.[name]
      if (value === undefined) throw new Error(`${operationId} needs params.${name}`)
      return encodeURIComponent(value)
    })
    return json(route.method, path, input)
  }

  return {
    as: (other) => createClient(baseUrl, other, defaults),
    call: call as Client['call'],
    get: (path, query) => json('GET', path, { query }),
    post: (path, body, headers) => json('POST', path, { body, headers }),
    put: (path, body) => json('PUT', path, { body }),
    patch: (path, body) => json('PATCH', path, { body }),
    delete: (path, query) => json('DELETE', path, { query }),
    raw,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`the answer is not JSON: ${text.slice(0, 200)}`)
  }
}

function checkAnswer(contract: Contract, method: string, path: string, answer: ClientAnswer<unknown>): void {
  const said = `${method} ${path} answered ${answer.status}`
  if (!answer.headers.get('X-Request-Id')) throw new Error(`${said} without X-Request-Id`)
  const match = contract.match(method, path.split('?')[0]!)
  const quotaFault = checkQuota(match.kind === 'route' ? match.route.rateLimiting : 'none', answer)
  if (quotaFault) throw new Error(`${said}: ${quotaFault}`)
  // HEAD has no body to check.
  if (method === 'HEAD') return
  const faults =
    match.kind === 'route'
      ? contract.checkAnswer(match.route.operationId, answer.status, answer.body)
      : checkUnrouted(match.kind === 'none' ? 404 : 405, answer)
  if (faults.length > 0) throw new Error(`${said} against the contract: ${faults.join('; ')}`)
}

/**
 * Returns a problem with the quota headers, or null. A quota is complete, and only limited operations have one; all
 * their successes do. A failure before the key is known has none.
 */
function checkQuota(limiting: RateLimiting, { status, headers }: ClientAnswer<unknown>): string | null {
  if (status === 429 && !/^[1-9]\d*$/.test(headers.get('Retry-After') ?? '')) return '429 without Retry-After'
  const quota = ['Limit', 'Remaining', 'Reset'].map((part) => headers.get(`X-RateLimit-${part}`))
  if (quota.every((value) => value === null)) {
    return isRateClass(limiting) && status < 400 ? 'no X-RateLimit-*' : null
  }
  if (!isRateClass(limiting)) return 'X-RateLimit-* although nothing is counted'
  return quota.every((value) => /^\d+$/.test(value ?? '')) ? null : 'X-RateLimit-* is not whole'
}

function checkUnrouted(expected: number, { status, body, headers }: ClientAnswer<unknown>): string[] {
  const { error, detail } = (body ?? {}) as Partial<FailureBody>
  return [
    ...(status === expected ? [] : [`expected ${expected}`]),
    ...(error?.message !== undefined && error.message === detail ? [] : ['no envelope']),
    ...(status === 405 && !headers.get('Allow') ? ['no Allow'] : []),
  ]
}
