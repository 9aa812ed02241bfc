import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the stub misbehaves; a number is a status that it answers. `drop` breaks the connection, `hang` never answers. */
export type EmbeddingsFault =
  | number
  | 'drop'
  | 'hang'
  | 'not json'
  | 'no data'
  | 'too few'
  | 'wrong dimensions'
  | 'repeated index'
  | 'no index'
  | 'not numbers'

export interface EmbeddingsCall {
  readonly model: unknown
  readonly input: readonly string[]
  readonly encodingFormat: unknown
  readonly authorization: string | undefined
  /** True once the client has gone away before the answer. */
  aborted: boolean
}

export interface EmbeddingsStubOptions {
  readonly dimensions?: number
  /** Answers 401 to another bearer token. */
  readonly key?: string
  /** The entries of `data` come in reverse order, each with its right `index`. */
  readonly reversed?: boolean
  /** Runs before each answer: what it waits for, the answer waits for. */
  readonly before?: (call: EmbeddingsCall) => Promise<void> | void
}

export interface EmbeddingsStub {
  /** The base for EMBEDDINGS_URL; the same after `restart`. */
  readonly url: string
  /** Every call that arrived, oldest first. */
  readonly calls: EmbeddingsCall[]
  /** Misbehaves for the next `times` calls (default: until `recover`). */
  fail(fault: EmbeddingsFault, times?: number): void
  recover(): void
  /** Closes the port and all connections: the process is dead. Safe to repeat. */
  stop(): Promise<void>
  /** Listens on the same port again. */
  restart(): Promise<void>
}

/** An OpenAI-compatible /embeddings on a free loopback port whose vectors are `stubVector` of the texts, not unit. */
export async function startEmbeddingsStub(options: EmbeddingsStubOptions = {}): Promise<EmbeddingsStub> {
  const { dimensions = 64, reversed = false, before } = options
  const calls: EmbeddingsCall[] = []
  let fault: EmbeddingsFault | undefined
  let faultsLeft = 0
  let server: Server | undefined
  let port = 0

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = (await readJson(request)) as { model?: unknown; input?: unknown; encoding_format?: unknown }
    const input = (Array.isArray(body.input) ? body.input : [body.input]) as string[]
    const call: EmbeddingsCall = {
      model: body.model,
      input,
      encodingFormat: body.encoding_format,
      authorization: request.headers.authorization,
      aborted: false,
    }
    calls.push(call)
    response.on('close', () => (call.aborted = !response.writableFinished))
    const present = faultsLeft > 0 ? fault : undefined
    if (faultsLeft > 0) faultsLeft--
    await before?.(call)
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return respond(response, 404, {})
    if (options.key && call.authorization !== `Bearer ${options.key}`) return respond(response, 401, {})
    if (present === 'hang') return
    if (present === 'drop') return void request.socket.destroy()
    if (typeof present === 'number') return respond(response, present, { error: { message: input.join(' ') } })
    if (present === 'not json') return void response.end(`<p>${input.join(' ')}</p>`)
    const data = faulty(
      input.map((text, index) => ({ object: 'embedding', index, embedding: stubVector(text, dimensions) })),
      present,
    )
    respond(response, 200, { object: 'list', model: body.model, data: reversed ? data?.reverse() : data })
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

/**
 * The sum of one pseudo-random ±1 vector per word, case and plural endings aside: texts that share words are near, others
 * nearly orthogonal. A text without words has zeros.
 */
export function stubVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let state = hash(word.replace(/(?<=\w{3})s$/, ''))
    for (let i = 0; i < dimensions; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      vector[i]! += state & 0x80000000 ? 1 : -1
    }
  }
  return vector
}

/** FNV-1a, 32 bits. */
function hash(word: string): number {
  let state = 0x811c9dc5
  for (const byte of Buffer.from(word)) state = Math.imul(state ^ byte, 0x01000193) >>> 0
  return state
}

interface Entry {
  index?: number
  embedding: unknown[]
}

function faulty(data: Entry[], fault: EmbeddingsFault | undefined): Entry[] | undefined {
  switch (fault) {
    case 'no data':
      return undefined
    case 'too few':
      return data.slice(1)
    case 'wrong dimensions':
      return data.map((entry) => ({ ...entry, embedding: entry.embedding.slice(1) }))
    case 'repeated index':
      return data.map((entry) => ({ ...entry, index: 0 }))
    case 'no index':
      return data.map(({ embedding }) => ({ embedding }))
    case 'not numbers':
      return data.map((entry) => ({ ...entry, embedding: entry.embedding.map(() => null) }))
    default:
      return data
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
