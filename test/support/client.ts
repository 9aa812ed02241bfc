import { cairnContract, type Contract } from '../../http/validation/contract.js'
import { isRateClass, type RateLimiting } from '../../http/rate-class.js'
import type { Call, CallInput, ClientAnswer, FailureBody, Request } from './clients/request.js'
import { subjectsOf, type Subjects } from './clients/subjects.js'
import { callByTool, isToolOperation } from './tools.js'

interface RawInput {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a path answers is not known by its type */
type AnyBody = any
/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- an operation that is known by its name alone */
type AnyCall = Call<any>

/** One key's way to the service: a client for each subject, which sends valid requests, and below them requests as given. */
export interface Client extends Subjects {
  /** Returns the same service with another key; null for none. */
  as(key: string | null): Client
  /** Returns the same key acting for an agent by X-Agent-ID. */
  actingAs(agentId: string): Client
  /** Returns the same key with a tenant, which the clients of the subjects then name. */
  of(tenantId: string): Caller
  /** Returns the same key, which calls by a tool each operation that a tool has, and the others by REST. */
  byTools(): Client
  /** Calls an operation with the input as given: what no client of a subject sends, such as a request without a tenant. */
  call: Request
  get(path: string, query?: CallInput['query']): Promise<ClientAnswer<AnyBody>>
  post(path: string, body?: unknown, headers?: CallInput['headers']): Promise<ClientAnswer<AnyBody>>
  put(path: string, body?: unknown): Promise<ClientAnswer<AnyBody>>
  patch(path: string, body?: unknown): Promise<ClientAnswer<AnyBody>>
  delete(path: string, query?: CallInput['query']): Promise<ClientAnswer<AnyBody>>
  /** Sends a request as given: any method, path and body. */
  raw(method: string, path: string, input?: RawInput): Promise<ClientAnswer<AnyBody>>
}

/** A client whose requests are of one tenant. */
export interface Caller extends Client {
  readonly tenantId: string
  actingAs(agentId: string): Caller
  byTools(): Caller
}

interface ClientDefaults {
  readonly headers?: Readonly<Record<string, string>>
  /** The contract, when it is another than the service's own. */
  readonly contract?: Contract
  /** The tenant that the clients of the subjects name. */
  readonly tenantId?: string
  readonly byTools?: boolean
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
    const answer = { status: response.status, headers: response.headers, body: await bodyOf(response) }
    checkAnswer(contract, method, path, answer)
    return answer
  }

  function json(method: string, path: string, input: CallInput): Promise<ClientAnswer<AnyBody>> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(input.query ?? {}))
      if (value !== undefined && value !== null) query.set(name, String(value))
    const target = query.size > 0 ? `${path}?${query}` : path
    if (input.body === undefined) return raw(method, target, { headers: input.headers })
    const headers = { 'Content-Type': 'application/json', ...input.headers }
    return raw(method, target, { body: JSON.stringify(input.body), headers })
  }

  function call(operationId: string, input: CallInput = {}): AnyCall {
    const route = contract.routes.find((known) => known.operationId === operationId)
    if (!route) throw new Error(`${operationId} is not in the contract`)
    if (defaults.byTools && isToolOperation(operationId)) {
      const headers = { ...(key !== null && { 'X-API-Key': key }), ...defaults.headers, ...input.headers }
      return withOk(operationId, callByTool(baseUrl, operationId, { ...input, headers }, contract))
    }
    const path = route.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const value = input.params?.[name]
      if (value === undefined) throw new Error(`${operationId} needs params.${name}`)
      return encodeURIComponent(value)
    })
    return withOk(operationId, json(route.method, path, input))
  }

  const withDefaults = (others: ClientDefaults) => createClient(baseUrl, key, { ...defaults, ...others }) as Caller
  const { tenantId } = defaults
  return {
    ...subjectsOf(call, tenantId),
    ...(tenantId !== undefined && { tenantId }),
    as: (other) => createClient(baseUrl, other, defaults),
    actingAs: (agentId) => withDefaults({ headers: { ...defaults.headers, 'X-Agent-ID': agentId } }),
    of: (id) => withDefaults({ tenantId: id }),
    byTools: () => withDefaults({ byTools: true }),
    call,
    get: (path, query) => json('GET', path, { query }),
    post: (path, body, headers) => json('POST', path, { body, headers }),
    put: (path, body) => json('PUT', path, { body }),
    patch: (path, body) => json('PATCH', path, { body }),
    delete: (path, query) => json('DELETE', path, { query }),
    raw,
  }
}

function withOk(operationId: string, answer: Promise<ClientAnswer<AnyBody>>): AnyCall {
  return Object.assign(answer, {
    async ok() {
      const { status, body } = await answer
      if (status >= 400) throw new Error(`${operationId} answered ${status}: ${JSON.stringify(body)}`)
      return body
    },
  }) as AnyCall
}

/** Returns the value of a body of JSON; a character for each byte of another. */
async function bodyOf(response: Response): Promise<unknown> {
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.headers.get('content-type') === 'application/octet-stream') return bytes.toString('latin1')
  return bytes.length === 0 ? undefined : parse(bytes.toString('utf8'))
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
