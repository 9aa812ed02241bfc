import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A number is a status that is answered. `drop` breaks the connection, `hang` never answers. */
export type EndpointFault = number | RetryLater | 'drop' | 'hang' | 'not json'

/** A status with `Retry-After`. */
interface RetryLater {
  readonly status: number
  readonly retryAfter: string
}

export interface EndpointCall {
  readonly authorization: string | undefined
  /** True once the client has disconnected before the answer. */
  aborted: boolean
}

/** Settings of a model behind a stub, with retries that a test need not wait for. */
export const QUICK_RETRIES = {
  timeoutMs: 5_000,
  retryDelayMs: 1,
  longestRetryDelayMs: 5,
  breakerFailures: 100,
  breakerOpenMs: 20,
} as const

/** The options of every stub. */
export interface StubOptions<Call> {
  /** Answers 401 to another bearer token. */
  readonly key?: string
  /** Runs before each answer, which waits for it. */
  readonly before?: (call: Call) => Promise<void> | void
}

interface StubEndpointOptions<Call extends EndpointCall, Fault> extends StubOptions<Call> {
  /** Path under /v1, such as `/embeddings`. */
  readonly path: string
  /** Returns what the test sees of a request's body. */
  readonly read: (body: never) => Omit<Call, keyof EndpointCall>
  /** Returns the text that refusals and garbage quote, as careless services do. */
  readonly quote: (call: Call) => string
  readonly answer: (call: Call, fault: Exclude<Fault, EndpointFault> | undefined) => object
}

export interface StubEndpoint<Call, Fault> {
  /** The base for a URL setting; the same after `restart`. */
  readonly url: string
  /** Every call that arrived, oldest first. */
  readonly calls: Call[]
  /** Fails the next `times` calls (default: until `recover`). */
  fail(fault: Fault, times?: number): void
  recover(): void
  /** Closes the port and all connections: the process is dead. Safe to repeat. */
  stop(): Promise<void>
  /** Listens on the same port again. */
  restart(): Promise<void>
}

/** A refusal with a body of its own, for `answer` to throw. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: object,
  ) {
    super('refused')
  }
}

/** Starts a model's endpoint on a free loopback port, whose faults a test controls. */
export async function startStubEndpoint<Call extends EndpointCall, Fault>(
  options: StubEndpointOptions<Call, Fault | EndpointFault>,
): Promise<StubEndpoint<Call, Fault | EndpointFault>> {
  const { path, key, before, read, quote } = options
  const calls: Call[] = []
  let fault: Fault | EndpointFault | undefined
  let faultsLeft = 0
  let server: Server | undefined
  let port = 0

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = (await readJson(request)) as never
    const call = { ...read(body), authorization: request.headers.authorization, aborted: false } as Call
    calls.push(call)
    response.on('close', () => (call.aborted = !response.writableFinished))
    const present = faultsLeft > 0 ? fault : undefined
    if (faultsLeft > 0) faultsLeft--
    await before?.(call)
    if (request.method !== 'POST' || request.url !== `/v1${path}`) return respond(response, 404, {})
    if (key && call.authorization !== `Bearer ${key}`) return respond(response, 401, {})
    if (present === 'hang') return
    if (present === 'drop') return void request.socket.destroy()
    if (typeof present === 'number') return respond(response, present, { error: { message: quote(call) } })
    if (isRetryLater(present)) return respond(response, present.status, {}, { 'retry-after': present.retryAfter })
    if (present === 'not json') return void response.end(quote(call))
    try {
      respond(response, 200, options.answer(call, present as Exclude<Fault, EndpointFault> | undefined))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      respond(response, error.status, error.body)
    }
  }

  async function listen() {
    server = createServer((request, response) => {
      answer(request, response).catch(() => request.socket.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  await listen()
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls,
    fail(next, times = Infinity) {
      fault = next
      faultsLeft = times
    },
    recover() {
      faultsLeft = 0
    },
    async stop() {
      if (!server) return
      const stopping = server
      server = undefined
      stopping.close()
      stopping.closeAllConnections()
      await once(stopping, 'close')
    },
    async restart() {
      if (!server) await listen()
    },
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function isRetryLater(fault: unknown): fault is RetryLater {
  return typeof fault === 'object' && fault !== null && 'retryAfter' in fault
}

function respond(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
