import type { OperationId, Answer, Arguments, CallOptions, OperationFacts, OptionsOf } from './types.js'
import { AnswerError, ArgumentError } from './errors.js'
import { OPERATIONS, type Operations } from './operations.gen.js'
import { type RetryPolicy, unlessAborted, withRetries } from './retries.js'
import { type HttpAnswer, send, type Transport } from './transport.js'

export interface ClientOptions extends Partial<RetryPolicy> {
  /** Address of the service, such as http://127.0.0.1:8080. */
  readonly url: string
  /** An API key, or the admin credential. */
  readonly apiKey: string
  /** The tenant of every call that names none. By default the key's own; the admin credential has none. */
  readonly tenantId?: string | undefined
  /** The agent that a tenant key or the admin credential acts for. */
  readonly agentId?: string | undefined
  /** Milliseconds for each attempt; by default 100,000, which is more than the service takes for anything. */
  readonly timeoutMs?: number | undefined
  /** Most bytes of an answer, unpacked; by default 128 MiB. */
  readonly maxAnswerBytes?: number | undefined
}

/** A client of one service with one key: a method for each operation of the contract. */
export interface Client extends Operations {
  /** Address of the service. */
  readonly url: string
  /** Returns the whole answer of an operation, with its status and headers. Throws as the methods do. */
  request<K extends OperationId>(operation: K, args: Arguments<K>, options?: OptionsOf<K>): Promise<Answer<K>>
}

type AnyArguments = Readonly<Record<string, unknown>>
interface AnyOptions extends CallOptions {
  readonly agentId?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

const DEFAULTS = { maxRetries: 2, retryDelayMs: 500, timeoutMs: 100_000, maxAnswerBytes: 128 * 2 ** 20 }

/** Creates a client. It sends nothing until it is called. Throws ArgumentError for options that cannot be used. */
export function createClient(options: ClientOptions): Client {
  const { apiKey, tenantId, agentId } = options
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new ArgumentError('The API key contains characters that no key has.')
  const policy = retryPolicy(options, DEFAULTS)
  const maxAnswerBytes = options.maxAnswerBytes ?? DEFAULTS.maxAnswerBytes
  const transport: Transport = { url: addressOf(options.url), apiKey, maxAnswerBytes }
  let lookup: Promise<string> | undefined

  /** Returns the key's tenant, which is asked for once; a lookup that failed is not kept. */
  function ownTenant(signal: AbortSignal | undefined): Promise<string> {
    lookup ??= request('whoami', {})
      .then(({ body }) => {
        const found = (body as { readonly tenant_id?: unknown } | null)?.tenant_id
        if (typeof found === 'string') return found
        throw new AnswerError('The service answers whoami without a tenant.')
      })
      .catch((error: unknown) => {
        lookup = undefined
        throw error
      })
    // One caller's signal does not end the lookup that others wait for too.
    return unlessAborted(lookup, signal)
  }

  async function withTenant({ tenant }: OperationFacts, args: AnyArguments, signal: AbortSignal | undefined) {
    if (tenant === 'none' || args.tenant_id !== undefined) return args
    if (tenantId !== undefined) return { ...args, tenant_id: tenantId }
    return tenant === 'required' ? { ...args, tenant_id: await ownTenant(signal) } : args
  }

  async function request(operation: OperationId, given: AnyArguments, call: AnyOptions = {}): Promise<HttpAnswer> {
    const facts: OperationFacts = OPERATIONS[operation]
    const { signal, timeoutMs = options.timeoutMs ?? DEFAULTS.timeoutMs } = call
    signal?.throwIfAborted()
    const args = await withTenant(facts, given, signal)
    const headers = headersOf({
      'X-Agent-ID': headerTextOf('agentId', call.agentId ?? (facts.tenant === 'none' ? undefined : agentId)),
      'Idempotency-Key': call.idempotencyKey ?? (facts.takesIdempotencyKey ? randomKey() : undefined),
      'If-Match': call.ifMatch,
      'If-None-Match': call.ifNoneMatch,
    })
    const target = targetOf(facts, args)
    const body = facts.takesBody ? JSON.stringify(bodyOf(facts, args)) : undefined
    // The second of two deletions or writes with If-Match is refused, though the first one succeeded.
    const isRepeatable = (facts.isIdempotent && call.ifMatch === undefined) || facts.takesIdempotencyKey
    return withRetries(retryPolicy(call, policy), { isRepeatable, signal }, () =>
      send(transport, { method: facts.method, target, headers, body, timeoutMs, signal }),
    )
  }

  function method(operation: OperationId) {
    return (args: AnyArguments = {}, call?: AnyOptions) => {
      const first = request(operation, args, call).then(({ body }) => body as Page)
      if (!OPERATIONS[operation].isPaged) return first
      const next = async (cursor: string) => (await request(operation, { ...args, cursor }, call)).body as Page
      return Object.assign(first, { [Symbol.asyncIterator]: () => itemsOf(first, next) })
    }
  }

  const methods = Object.keys(OPERATIONS).map((name) => [name, method(name as OperationId)])
  return { ...(Object.fromEntries(methods) as Operations), url: transport.url, request: request as Client['request'] }
}

/** Encodes what is not ASCII, which fetch refuses in a header, and `%`. Throws ArgumentError. */
function headerTextOf(name: string, id: string | undefined): string | undefined {
  if (id !== undefined && !isWellFormed(id)) throw new ArgumentError(`${name} must be an id.`)
  return id?.replace(/[\u0080-\uffff]+|%/g, encodeURIComponent)
}

function retryPolicy(given: Partial<RetryPolicy>, otherwise: RetryPolicy): RetryPolicy {
  const { maxRetries = otherwise.maxRetries, retryDelayMs = otherwise.retryDelayMs } = given
  return { maxRetries, retryDelayMs }
}

interface Page {
  readonly items: readonly unknown[]
  readonly next_cursor: string | null
}

/** Yields the items of a page and of those after it, each read when the one before is used up. */
async function* itemsOf(first: Promise<Page>, read: (cursor: string) => Promise<Page>): AsyncGenerator<unknown> {
  let page = checkedPage(await first)
  const seen = new Set<string>()
  for (;;) {
    yield* page.items
    const cursor = page.next_cursor
    if (cursor === null) return
    if (seen.has(cursor)) throw new AnswerError('The service answers with a cursor that leads back to an earlier page.')
    seen.add(cursor)
    page = checkedPage(await read(cursor))
  }
}

/** Returns a page that is one: its type is only what the contract promises. Throws AnswerError. */
function checkedPage(page: Page | null): Page {
  const cursor: unknown = page?.next_cursor
  if (Array.isArray(page?.items) && (cursor === null || typeof cursor === 'string')) return page!
  throw new AnswerError('The service answers with a page that has no items or no next_cursor.')
}

/** Returns the address of a service as a client's `url` has it. Throws ArgumentError for what cannot be one. */
export function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    !parsed.username &&
    !parsed.password &&
    !parsed.search &&
    !parsed.hash
  )
    // A bare ? or # is in `href` only.
    return (parsed.origin + parsed.pathname).replace(/\/+$/, '')
  throw new ArgumentError('The URL must be one such as http://127.0.0.1:8080.')
}

function targetOf({ path, query }: OperationFacts, args: AnyArguments): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => segmentOf(name, args[name]))
  const search = new URLSearchParams()
  for (const name of query) {
    const value = args[name]
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return search.toString() === '' ? filled : `${filled}?${search}`
}

/** Returns an id as one segment of a path: nothing in it leads to another path. */
function segmentOf(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..' || !isWellFormed(text))
    throw new ArgumentError(`${name} must be an id.`)
  return encodeURIComponent(text)
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

function bodyOf({ path, query }: OperationFacts, args: AnyArguments): AnyArguments {
  const isInBody = (name: string) => !query.includes(name) && !path.includes(`{${name}}`)
  return Object.fromEntries(Object.entries(args).filter(([name]) => isInBody(name)))
}

function headersOf(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (!/^[\x20-\x7e]*$/.test(value)) throw new ArgumentError(`${name} may have only visible ASCII characters.`)
    headers[name] = value
  }
  return headers
}

/** `crypto.randomUUID` does not exist in pages that were not loaded over HTTPS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
