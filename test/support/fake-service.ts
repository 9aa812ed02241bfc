import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The body, parsed; undefined without one. */
  readonly body: unknown
}

/** Answers one request: with a status, a body and headers, or as the function does. */
export type FakeAnswer =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse, request: FakeRequest) => void)

/** Breaks the connection before an answer. */
export const dropped: FakeAnswer = (response) => response.destroy()
/** Never answers. */
export const silent: FakeAnswer = () => {}

/** Returns an answer with an error in the envelope of the contract. */
export function refused(status: number, code: string, headers: Readonly<Record<string, string>> = {}): FakeAnswer {
  return { status, body: { error: { code, message: `It is ${code}.` }, detail: `It is ${code}.` }, headers }
}

export interface FakeService {
  readonly url: string
  readonly requests: readonly FakeRequest[]
  /** Answers the next requests in this order, and those after them as the last. */
  answer(...answers: readonly FakeAnswer[]): void
  stop(): Promise<void>
}

/** Starts a server that answers as told: what a service, or whoever stands in its place, may do to a client. */
export async function startFakeService(): Promise<FakeService> {
  let answers: readonly FakeAnswer[] = [{}]
  const requests: FakeRequest[] = []
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks = (await incoming.toArray()) as Buffer[]
    const text = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
    requests.push(request)
    const answer = answers[0] ?? {}
    if (answers.length > 1) answers = answers.slice(1)
    if (typeof answer === 'function') return answer(response, request)
    response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}))
  }
  const server = createServer((incoming, response) => void handle(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (...given) => {
      answers = given
      requests.length = 0
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
